/**
 * Guarantee: the permissions of everyone who changes something are checked (contract/administration.md, A4).
 * Each module that leaves an entry in the audit log requires an `authority` and checks it, or is listed below
 * with the reason.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ACTIONS } from '../../src/change.ts'

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url))

/** Modules that require no permission, by who acts instead. */
const WITHOUT = {
  'the owner, who is signed in, or has proved who they are with a password, a code or a link': [
    'accounts/one-time-links/reset-link.ts',
    'accounts/passwords/change-password.ts',
    'accounts/second-factor/enrol.ts',
    'accounts/second-factor/new-recovery-codes.ts',
    'accounts/ended-logins/end-console-sessions.ts',
    'accounts/second-factor/use-code.ts',
    'identity/logins/browser-session.ts',
    'identity/logins/confirm.ts',
    'reminders/own-reminders.ts',
  ],
  'the holder of the setup link, before anyone has an account': ['identity/setup/set-up.ts'],
  'a user that an external identity service vouches for: the first login adds the account': [
    'accounts/resolve-identity.ts',
  ],
  'the holder of a developer token, who acts on that session': [
    'tokens/dialects/gateway.ts',
    'tokens/open-session.ts',
    'tokens/revoke.ts',
  ],
  'a CI job, by the rule that it matches': ['ci/open-job-session.ts', 'ci/record-refusal.ts'],
  'a device, by the policy of its model': [
    'devices/clones/look-for-clones.ts',
    'devices/registration/approval/wait-for-approval.ts',
    'devices/registration/issue-serial.ts',
    'devices/serials/serial-holder.ts',
    'devices/sessions/holder-for-session.ts',
  ],
  'the service itself, as configured': [
    'audit/remove-old.ts',
    'ci/issuers/keys/refresh-keys.ts',
    'devices/registration/approval/remove-old-waiting.ts',
    'management/jobs/run-jobs.ts',
  ],
  'a service that a command calls': ['cli/brands/allow-list.ts'],
  'the holder of the database and the secret key, before an installation exists that could check': [
    'backup/restore.ts',
    'cli/upkeep/backup.ts',
    'start/open-database.ts',
  ],
} as const satisfies Record<string, readonly string[]>

/** Matches a check in the module itself, or by the function that finds the record for it. */
const CHECKS =
  /\b(?:require(?:ForAll|ForBrand|Person|RecentPerson|MayManage|MayLetIn|MayLetJobsIn|MayActOn)|brandsFor|managed[A-Z]\w*|findSession)\(/
const RECORDS = /(?<!-)\brecord\b|\bentryOf\b|\bAuditedChange\b/

interface Module {
  readonly path: string
  readonly code: string
  /** The actions of the audit log that it names. */
  readonly actions: readonly string[]
}

const names = Object.keys(ACTIONS)
const modules: readonly Module[] = globSync('**/*.ts', { cwd: SOURCES })
  .filter((path) => !path.endsWith('.test.ts') && path !== 'change.ts')
  .map((path) => {
    const code = withoutComments(readFileSync(`${SOURCES}${path}`, 'utf8'))
    return { path, code, actions: names.filter((name) => code.includes(`'${name}'`)) }
  })
const recording = modules.filter(({ code, actions }) => actions.length > 0 && RECORDS.test(code))
const excepted: readonly string[] = Object.values(WITHOUT).flat()

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
}

describe('authority', () => {
  test('every action of the audit log is recorded by a module that these tests examine', () => {
    const found = new Set(recording.flatMap(({ actions }) => actions))
    assert.deepEqual(
      names.filter((name) => !found.has(name)),
      [],
    )
  })

  // A CI rule has a `maker`: the holder of the authority, or the owner in a browser.
  const asks = ({ code }: Module) => /\b(?:authority|maker)\b/.test(code) && CHECKS.test(code)

  test('Guarantee: every change requires an authority and checks it', () => {
    assert.deepEqual(
      recording.filter((module) => !excepted.includes(module.path) && !asks(module)).map(({ path }) => path),
      [],
      'Pass the operation an `authority` and check it there, or add the module to WITHOUT with the reason.',
    )
  })

  test('the exceptions are needed', () => {
    const needed = new Set(recording.filter((module) => !asks(module)).map(({ path }) => path))
    assert.deepEqual(
      excepted.filter((path) => !needed.has(path)),
      [],
    )
  })

  test('Guarantee: no route checks a permission itself; the operation that it calls does', () => {
    const routes = modules.filter(({ path }) => /routes\.ts$/.test(path))
    assert.ok(routes.length > 20)
    assert.deepEqual(
      routes.filter(({ code }) => CHECKS.test(code)).map(({ path }) => path),
      [],
    )
  })

  test("Guarantee: only the program's start, and jobs that it began, create the operator's authority", () => {
    const makers = modules.filter(({ code }) => /\bdirectAuthority\(/.test(code)).map(({ path }) => path)
    const allowed = /^start\/|^management\/jobs\/job-authority\.ts$/
    assert.deepEqual(
      makers.filter((path) => !allowed.test(path)),
      [],
    )
  })
})
