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

/**
 * The database ends the first three connections that store the outcome of an item that was done. Where the change and
 * its outcome are one transaction, both are undone and the item is done again.
 */
const LOST_OUTCOMES = [
  'create sequence outcomes',
  `create function lose_outcome() returns trigger language plpgsql as $$
    begin
      if nextval('outcomes') <= 3 then
        perform pg_terminate_backend(pg_backend_pid());
        perform pg_sleep(60); -- The connection ends here.
      end if;
      return new;
    end $$`,
  `create trigger lose_outcome before update of outcome on job_item
    for each row when (new.outcome = 'done') execute function lose_outcome()`,
] as const

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
    bug: 'a node that receives no changes trusts its memory',
    during: during('connection-black-holed'),
    replacements: [
      {
        file: `${server}/database/changes/memory.ts`,
        from: 'if (!freshness.current()) {',
        to: 'if (freshness.position < 0) {',
      },
      {
        file: `${server}/database/changes/memory.ts`,
        from: 'peek: (key) => (freshness.current() ? known(key) : undefined)',
        to: 'peek: (key) => known(key)',
      },
      {
        file: `${server}/database/changes/memory.ts`,
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
      // Once a first heartbeat was acknowledged, none is asked for again, and one that fails means nothing.
      {
        file: `${server}/database/postgres/heartbeats.ts`,
        from: 'this.#provenUntil <= answered - PROVEN_MS',
        to: 'answered > 0 && !this.#begun',
      },
      {
        file: `${server}/database/postgres/heartbeats.ts`,
        from: 'if (error instanceof NotConfirmed || silentFor >= this.#patienceMs) this.#lost(error)',
        to: 'if (!this.#begun && silentFor >= this.#patienceMs) this.#lost(error)',
      },
    ],
  },
  {
    breaks: 'request-id-once',
    bug: "expired rows are removed by a node's clock",
    during: { ...during('clock-wrong-at-start'), leastStrikes: 1 },
    replacements: [
      {
        file: `${server}/start/service/jobs.ts`,
        from: 'removeExpired(tasks, { clock, goOn, onRun })',
        to: 'removeExpired(tasks, { clock: () => new Date(), goOn, onRun })',
      },
      {
        file: `${server}/start/service/service.ts`,
        from: 'mayWork: () => clockAgreement(clockAhead()).works,',
        to: 'mayWork: () => true,',
      },
    ],
  },
  {
    breaks: 'stays-good',
    bug: 'a node compares and dates by its own clock, and serves whatever that says',
    during: { ...during('clock-wrong-at-start'), leastStrikes: 1 },
    replacements: [
      {
        file: `${server}/start/installation.ts`,
        from: 'clock = database.clock.now, machineClock',
        to: 'clock = systemClock, machineClock',
      },
      {
        file: `${server}/start/service/service.ts`,
        from: 'return serves ? undefined : says',
        to: 'return serves || says === undefined ? undefined : undefined',
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
        file: `${server}/database/errors/away.ts`,
        from: 'return error instanceof Error && meansAway(error) ? away(error, file) : error',
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
  {
    breaks: 'revoked-refused',
    bug: 'something is remembered although a change overlapped its read',
    during: { ...during('connection-delayed'), leastStrikes: 8 },
    replacements: [
      {
        file: `${server}/database/changes/memory.ts`,
        from: 'if (freshness.position !== position) return value',
        to: '',
      },
    ],
  },
  {
    breaks: 'job-item-once',
    bug: 'the outcome of an item of a job is stored in a second transaction, after its change',
    during: CALM,
    replacements: [
      {
        file: `${server}/management/jobs/run-item.ts`,
        from: 'await on.jobs.settle(id, { place, ...outcome, code: undefined, message: undefined, extra: undefined })\n        settled = true',
        to: 'void outcome',
      },
    ],
    statements: LOST_OUTCOMES,
  },
  {
    breaks: 'stays-good',
    bug: 'a node refuses what it could not revoke',
    // It finds the session, and cannot write.
    during: { ...during('disk-full'), leastStrikes: 8 },
    replacements: [
      {
        file: `${server}/tokens/revoke.ts`,
        from: 'const revoke = (id: SessionId) =>',
        to: 'const revoke = (id: SessionId) => (globalThis.tried ??= new Set()).add(id) &&',
      },
      {
        file: `${server}/tokens/authentication/verify-session.ts`,
        from: 'refuseRevoked(session)\n  const cleared',
        to: 'if (globalThis.tried?.has(written.sessionId)) throw unknownSession()\n  refuseRevoked(session)\n  const cleared',
      },
    ],
  },
  {
    breaks: 'audited',
    bug: 'a revocation has no entry in the audit log',
    during: CALM,
    replacements: [
      {
        file: `${server}/tokens/revoke.ts`,
        from: "if (revoked?.first) await record({ action: 'token.revoke', subject: id })",
        to: '',
      },
    ],
    group: 'calm 1',
  },
  {
    breaks: 'job-kept',
    bug: 'a job is acknowledged and not written',
    during: CALM,
    replacements: [
      {
        file: `${server}/management/jobs/make-job.ts`,
        from: 'await jobs.add(job, subjects)',
        to: '',
      },
      {
        file: `${server}/management/jobs/make-job.ts`,
        from: "await record({ action: 'job.add', subject: job.id, details: { kind, total: job.total, ...settings } })",
        to: 'void record',
      },
    ],
    group: 'calm 1',
  },
  {
    breaks: 'no-more-rights',
    bug: 'everybody gives roles',
    during: CALM,
    replacements: [
      {
        file: `${server}/management/grants/add-grant.ts`,
        from: "requireForAll(authority, 'roles:manage')\n  requireRecentPerson(authority, now)",
        to: '',
      },
    ],
    group: 'calm 1',
  },
  {
    breaks: 'resources-bounded',
    bug: 'each request leaves some memory behind',
    during: CALM,
    replacements: [
      {
        file: `${server}/tokens/authentication/verify-session.ts`,
        from: 'const identity = deps.identity\n',
        to: 'const identity = deps.identity\n  ;(globalThis.kept ??= []).push(Buffer.alloc(4 * 2 ** 20, 1))\n',
      },
    ],
    group: 'calm 1',
  },
  {
    breaks: 'revocation-kept',
    bug: 'the console says that a token is revoked, and does not revoke it',
    during: CALM,
    replacements: [
      {
        file: `${server}/console/token-routes.ts`,
        from: 'const token = await call(api.revokeMyToken, { parameters, body: {} })',
        to: 'const token = await call(api.myToken, { parameters })',
      },
    ],
    group: 'calm 1',
  },
  {
    breaks: 'audited',
    bug: 'the audit log has an entry without a change',
    during: CALM,
    replacements: [
      {
        file: `${server}/tokens/administration/revoke-session.ts`,
        from: "if (revoked.first) await record({ action: 'token.revoke', subject: found.id })",
        to: "for (let times = 0; times < 2; times++) await record({ action: 'token.revoke', subject: found.id })",
      },
    ],
    group: 'calm 2',
  },
  {
    breaks: 'logs-clean',
    bug: 'a periodic job always fails',
    during: CALM,
    replacements: [
      {
        file: `${server}/start/service/jobs.ts`,
        from: 'run: async (goOn) => void (await linkEntries(installation, goOn)) }',
        to: "run: async (goOn) => { await linkEntries(installation, goOn); throw new TypeError('always') } }",
      },
    ],
    group: 'calm 2',
  },
  {
    breaks: 'resources-bounded',
    bug: 'each request leaves a descriptor open',
    during: CALM,
    replacements: [
      {
        file: `${server}/tokens/authentication/verify-session.ts`,
        from: 'const identity = deps.identity\n',
        to: "const identity = deps.identity\n  process.getBuiltinModule('node:fs').openSync('/dev/null')\n",
      },
    ],
    group: 'calm 2',
  },
  {
    breaks: 'repeat-once',
    bug: 'no two requests with one Idempotency-Key look alike',
    during: CALM,
    replacements: [
      {
        file: `${server}/management/repeats/answer-once.ts`,
        from: "keyring.fingerprint('idempotency key', asked.key)",
        to: "keyring.fingerprint('idempotency key', asked.key + Math.random())",
      },
    ],
    group: 'calm 2',
  },
  {
    breaks: 'logs-clean',
    bug: 'a rejection that nobody handles ends a worker',
    during: { ...CALM, nodes: 1, workers: 2 },
    replacements: [
      {
        file: `${server}/devices/registration/approval/wait-for-approval.ts`,
        from: "await stores.record({ action: 'device.wait', subject: device.id, details })",
        to: "await stores.record({ action: 'device.wait', subject: device.id, details }); void Promise.reject(new Error('unheard'))",
      },
    ],
  },
  {
    breaks: 'import-whole',
    bug: 'an import is several transactions',
    during: during('administered'),
    replacements: [
      {
        file: `${server}/package-directory/import.ts`,
        from: 'await packages.import(entries, {',
        to: 'void packages; await arguments[2].packages.import(entries, {',
      },
      {
        file: `${server}/package-directory/package-store.ts`,
        from: 'async import(entries, { replaceAll, onProgress }) {\n      await inTransaction(query,',
        to: 'async import(entries, { replaceAll, onProgress }) {\n      await ((_, work) => work(query))(query,',
      },
    ],
    group: 'administered',
  },
  {
    breaks: 'secret-rotated',
    bug: 'a rotation of the secret key is several transactions',
    during: during('administered'),
    replacements: [
      {
        file: `${server}/cli/upkeep/secret.ts`,
        from: "const { reseal } = await import('../../keyring/reseal.ts')",
        to: "const { reseal } = await import('../../keyring/reseal.ts'); const { sealedValueStore } = await import('../../keyring/sealed-value-store.ts')",
      },
      {
        file: `${server}/cli/upkeep/secret.ts`,
        from: 'reseal({ sealer: both, authority, onProgress }, installation)',
        to: 'reseal({ sealer: both, authority, onProgress }, { ...installation, changeBy: (author) => (work) => installation.changeBy(author)((on) => work({ ...on, sealedValues: sealedValueStore(installation.database) })) })',
      },
    ],
    group: 'administered',
  },
  {
    breaks: 'backup-whole',
    bug: 'a backup leaves a table out',
    during: during('administered'),
    replacements: [
      {
        file: `${server}/backup/back-up.ts`,
        from: 'for (const { table, size } of measured) {',
        to: "for (const { table, size } of measured.filter(({ table: { name } }) => name !== 'used_request_id')) {",
      },
    ],
    group: 'administered',
  },
  {
    breaks: 'no-more-rights',
    bug: 'the last operator can lose the role',
    during: during('administered'),
    replacements: [
      {
        file: `${server}/grants/last-operator.ts`,
        from: 'if (!operators.includes(accountId) || operators.length > 1) return',
        to: 'if (operators) return',
      },
    ],
    group: 'administered',
  },
]
