/** Bugs planted while the program is bundled, at least one per invariant: the checker must see each of them. */
import type { Replacement } from '../tools/test/bundle.ts'
import type { InvariantName } from './check/invariants.ts'
import { CALM, FAULTS, type Fault } from './faults.ts'

export interface Planted {
  /** The invariant it breaks. */
  readonly breaks: InvariantName
  readonly bug: string
  /** The fault that reveals it; absent if the load alone does. */
  readonly during: Fault
  readonly replacements: readonly Replacement[]
  /** Those of one group are planted together: each breaks another invariant, and none hides another. */
  readonly group?: string
  /** What its database has otherwise. */
  readonly statements?: readonly string[]
}

const server = 'packages/server/src'
const sessionStore = `${server}/tokens/session-store.ts`

const during = (name: string): Fault => {
  const fault = FAULTS.find((one) => one.name === name)
  if (!fault) throw new TypeError(`there is no fault ${name}`)
  return fault
}

export const PLANTED: readonly Planted[] = [
  {
    breaks: 'revocation-kept',
    bug: 'a revocation is acknowledged and not written',
    during: CALM,
    replacements: [
      {
        file: sessionStore,
        from: ".set({ revoked_at: toInstant(at), revoked_by: by })\n            .where('session_id', '=', id)",
        to: ".set({ revoked_by: by }).where('session_id', '=', id)",
      },
    ],
  },
  {
    breaks: 'revoked-refused',
    bug: 'a token is refused two seconds after its revocation',
    during: CALM,
    replacements: [
      {
        file: `${server}/tokens/authentication/verify-session.ts`,
        from: 'if (revokedAt === undefined) return',
        to: 'if (revokedAt === undefined || Date.now() - revokedAt.getTime() <= 2_000) return',
      },
    ],
  },
  {
    breaks: 'revoked-refused',
    bug: 'a login that was not presented yet survives the revocation of everything',
    during: CALM,
    replacements: [
      {
        file: `${server}/accounts/ended-logins/refuse-ended-login.ts`,
        from: 'if (loginsSince === undefined) return\n  refuseEarlierRoot',
        to: 'if (loginsSince === undefined || since.getTime() > 0) return\n  refuseEarlierRoot',
      },
    ],
  },
  {
    breaks: 'revoked-refused',
    bug: 'a refresh does not look at the revocation of its session',
    during: CALM,
    replacements: [
      {
        file: `${server}/identity/passwords/refresh-discharge.ts`,
        from: 'if (session?.accountId !== account.id || session.revokedAt !== undefined)',
        to: 'if (session?.accountId !== account.id)',
      },
    ],
  },
  {
    breaks: 'revoked-refused',
    bug: 'a session of a revoked device is verified',
    during: CALM,
    replacements: [
      {
        file: `${server}/devices/sessions/verify-session.ts`,
        from: 'const why = whyNoSession(found.device)',
        to: "const why = whyNoSession({ ...found.device, status: 'active' })",
      },
    ],
  },
  {
    breaks: 'revoked-refused',
    bug: 'a node that hears no change trusts its memory',
    during: during('connection-black-holed'),
    replacements: [
      {
        file: `${server}/database/changes/remembering.ts`,
        from: 'if (!feed.current()) {',
        to: 'if (feed.position < 0) {',
      },
      {
        file: `${server}/database/changes/remembering.ts`,
        from: 'peek: (key) => (feed.current() ? known(key) : undefined)',
        to: 'peek: (key) => known(key)',
      },
      {
        file: `${server}/database/changes/remembering.ts`,
        from: 'if (!change) return remembered.clear()',
        to: 'if (!change) return',
      },
    ],
  },
  {
    breaks: 'revoked-refused',
    bug: 'a primary that was cut off is believed',
    during: during('primary-cut-off'),
    replacements: [
      // Once a first beat was acknowledged, none is asked for again, and one that fails means nothing.
      {
        file: `${server}/database/postgres/beats.ts`,
        from: 'this.#provenUntil <= answered - PROVEN_MS',
        to: 'answered > 0 && !this.#begun',
      },
      {
        file: `${server}/database/postgres/beats.ts`,
        from: 'if (error instanceof NotConfirmed || silentFor >= this.#patienceMs) this.#lost(error)',
        to: 'if (!this.#begun && silentFor >= this.#patienceMs) this.#lost(error)',
      },
    ],
  },
  {
    breaks: 'rule-removed-refused',
    bug: 'a rule is removed, and what it opened is not revoked',
    during: CALM,
    replacements: [
      {
        file: `${server}/ci/rules/managing/remove-rule.ts`,
        from: 'const sessions = await tokenSessions.revokeOfRules([id], { at: clock(), by })',
        to: 'const sessions = []',
      },
    ],
  },
  {
    breaks: 'serial-one-key',
    bug: 'a serial that is taken is looked for, and no constraint forbids it',
    during: CALM,
    replacements: [
      {
        file: `${server}/devices/registration/issue-serial.ts`,
        from: 'if (holder && !givesWay(holder, model.policy)) return { taken: holder }\n  return { ...name, holder, revision',
        to: 'return { ...name, holder: undefined, revision',
      },
      {
        file: `${server}/devices/serials/serial-holder-store.ts`,
        from: 'where serial_holder.device_id is null',
        to: 'where true',
      },
    ],
  },
  {
    breaks: 'key-one-serial',
    bug: 'a key that is registered is not found, and no constraint forbids a second row',
    during: CALM,
    replacements: [
      {
        file: `${server}/devices/device-store.ts`,
        from: "const row = rows.find(({ status }) => status !== 'superseded') ?? rows[0]",
        to: 'const row = rows.find(() => false)',
      },
    ],
    statements: ['drop index device_brand_id_model_device_key_id_bucket_key'],
  },
  {
    breaks: 'nonce-once',
    bug: 'no two uses of a nonce look alike',
    during: CALM,
    replacements: [
      {
        file: `${server}/devices/nonce.ts`,
        from: "createHash('sha256').update(text).digest()",
        to: "createHash('sha256').update(kind === 'nonce' ? text + Math.random() : text).digest()",
      },
    ],
  },
  {
    breaks: 'request-id-once',
    bug: 'no two uses of a request-id look alike',
    during: CALM,
    replacements: [
      {
        file: `${server}/devices/nonce.ts`,
        from: "createHash('sha256').update(text).digest()",
        to: "createHash('sha256').update(kind === 'nonce' ? text : text + Math.random()).digest()",
      },
    ],
  },
  {
    breaks: 'id-token-once',
    bug: 'no two uses of an ID token look alike',
    during: CALM,
    replacements: [
      {
        file: `${server}/ci/id-token/verify.ts`,
        from: "key: typeof jti === 'string' ? jti : hashOfSigned(text)",
        to: 'key: hashOfSigned(text) + Math.random()',
      },
    ],
  },
  {
    breaks: 'nothing-missing',
    bug: 'a login is acknowledged and its session not recorded',
    during: CALM,
    replacements: [
      {
        file: `${server}/tokens/authentication/verify-session.ts`,
        from: 'if (!(await openSession(opening, deps))) return undefined',
        to: '',
      },
    ],
  },
  {
    breaks: 'nothing-missing',
    bug: 'a discharge with a password is answered and its session not recorded',
    during: CALM,
    replacements: [
      {
        file: `${server}/identity/passwords/discharge-with-password.ts`,
        from: 'if (caveat.isOwn && deps.sessions) await openOnce({ account, caveat, source }, deps.sessions)',
        to: '',
      },
    ],
  },
  {
    breaks: 'nothing-missing',
    bug: 'the standby is an asynchronous one, and is promoted',
    during: { ...during('primary-lost'), asynchronous: true },
    replacements: [],
  },
  {
    breaks: 'job-item-once',
    bug: 'what a job did says nothing of the job',
    during: CALM,
    replacements: [
      {
        file: `${server}/management/jobs/job-authority.ts`,
        from: '{ source: maker.source, job: id }',
        to: '{ source: maker.source }',
      },
    ],
  },
  {
    breaks: 'verify-agrees',
    bug: 'an entry of the audit log is linked to another place than its own',
    during: CALM,
    replacements: [
      {
        file: `${server}/audit/link.ts`,
        from: 'const hash = hashOf(entry, { seq, previousHash })',
        to: 'const hash = hashOf(entry, { seq: seq + 1, previousHash })',
      },
    ],
  },
  {
    breaks: 'stays-good',
    bug: 'a key that was rotated is forgotten',
    during: during('keys-rotated'),
    replacements: [
      {
        file: `${server}/keyring/key-cache.ts`,
        from: 'this.#byId.set(key.id, key)',
        to: 'this.#byId.clear(); this.#byId.set(key.id, key)',
      },
    ],
  },
  {
    breaks: 'only-503',
    bug: 'a database that is away is a fault',
    during: during('postgres-killed'),
    replacements: [
      {
        file: `${server}/database/away.ts`,
        from: 'return error instanceof Error && meansAway(error) ? away(error) : error',
        to: 'return error',
      },
    ],
  },
  {
    breaks: 'serves-again',
    bug: 'a worker that dies ends its node',
    during: during('worker-killed'),
    replacements: [
      {
        file: `${server}/workers/supervise.ts`,
        from: "worker.once('exit', (code: number | null) => this.#ended(place, worker, code ?? undefined))",
        to: "worker.once('exit', () => process.exit(9))",
      },
    ],
  },
]
