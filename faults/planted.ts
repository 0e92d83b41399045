/** Bugs planted while the program is bundled, at least one per invariant. The checker must detect each of them. */
import type { Replacement } from '../tools/test/bundle.ts'
import type { InvariantName } from './check/invariants.ts'
import { CALM, FAULTS, type Fault } from './faults.ts'

export interface Planted {
  /** The invariant it breaks. */
  readonly breaks: InvariantName
  readonly bug: string
  /** The fault that reveals it. Default: the load alone does. */
  readonly during?: Fault
  readonly replacements: readonly Replacement[]
  /** The findings that only this bug explains in its group. Default: all of the invariant. */
  readonly finding?: RegExp
  /** Bugs of one group are planted together: none hides another, and each has its own findings. */
  readonly group?: string
  /** Whether its detection mostly waits, for minutes. */
  readonly waits?: true
  /** Statements that change its database. */
  readonly statements?: readonly string[]
}

/** Groups bugs by release. Those that take longest are first, so that the lanes end at about the same time. */
export const byRelease = <One extends Planted>(bugs: readonly One[]): readonly (readonly One[])[] =>
  [...Map.groupBy(bugs, (one) => one.group ?? one).values()].sort(
    (one, other) => weightOf(other) - weightOf(one),
  )

const weightOf = (bugs: readonly Planted[]): number =>
  bugs.length + (bugs.some(({ waits }) => waits) ? PLANTED.length : 0)

/** Returns changes to a file of the server. */
const inFile = (file: string, ...changes: readonly Omit<Replacement, 'file'>[]): readonly Replacement[] =>
  changes.map((change) => ({ file: `packages/server/src/${file}`, ...change }))

const during = (name: string): Fault => {
  const fault = FAULTS.find((one) => one.name === name)
  if (!fault) throw new TypeError(`there is no fault ${name}`)
  return fault
}

const WORKERS: Fault = { ...CALM, nodes: 1, workers: 2 }

/**
 * Makes the database close the first three connections that store the outcome `done`. If the change and its outcome are
 * one transaction, both are rolled back and the item runs again.
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
    bug: 'a revocation is acknowledged but not written',
    replacements: inFile('tokens/session-store.ts', {
      from: ".set({ revoked_at: toInstant(at), revoked_by: by })\n            .where('session_id', '=', id)",
      to: ".set({ revoked_by: by }).where('session_id', '=', id)",
    }),
    group: 'calm 2',
  },
  {
    breaks: 'revoked-refused',
    bug: 'a token is only refused two seconds after its revocation',
    finding: /^session .*whoami/,
    replacements: inFile('tokens/authentication/verify-session.ts', {
      from: 'if (revokedAt === undefined) return',
      to: 'if (revokedAt === undefined || Date.now() - revokedAt.getTime() <= 2_000) return',
    }),
    group: 'calm 3',
  },
  {
    breaks: 'revoked-refused',
    bug: 'an unused login survives the revocation of everything',
    finding: /^logins .* exchange /,
    replacements: inFile('accounts/ended-logins/refuse-ended-login.ts', {
      from: 'if (loginsSince === undefined) return\n  refuseEarlierRoot',
      to: 'if (loginsSince === undefined || since.getTime() > 0) return\n  refuseEarlierRoot',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'revoked-refused',
    bug: 'a refresh ignores the revocation of its session',
    finding: /refresh-discharge/,
    replacements: inFile('identity/passwords/refresh-discharge.ts', {
      from: 'if (session?.accountId !== account.id || session.revokedAt !== undefined)',
      to: 'if (session?.accountId !== account.id)',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'revoked-refused',
    bug: "a revoked device's session is verified",
    finding: /^device .*device-session/,
    replacements: inFile('devices/sessions/verify-session.ts', {
      from: 'const why = whyNoSession(found.device)',
      to: "const why = whyNoSession({ ...found.device, status: 'active' })",
    }),
    group: 'calm 1',
  },
  {
    breaks: 'revoked-refused',
    bug: 'a node without change notifications trusts its cache',
    during: during('connection-black-holed'),
    replacements: inFile(
      'database/changes/memory.ts',
      {
        from: 'if (!freshness.current()) {',
        to: 'if (freshness.position < 0) {',
      },
      {
        from: 'peek: (key) => (freshness.current() ? known(key) : undefined)',
        to: 'peek: (key) => known(key)',
      },
      {
        from: 'if (!change) return remembered.clear()',
        to: 'if (!change) return',
      },
    ),
  },
  {
    breaks: 'revoked-refused',
    bug: 'a primary that was cut off is believed',
    during: during('primary-cut-off'),
    waits: true,
    replacements: inFile(
      'database/postgres/heartbeats.ts',
      // After the first acknowledged heartbeat the node requires no other, and ignores one that fails.
      {
        from: 'this.#provenUntil <= answered - PROVEN_MS',
        to: 'answered > 0 && !this.#begun',
      },
      {
        from: 'if (error instanceof NotConfirmed || silentFor >= this.#patienceMs) this.#lost(error)',
        to: 'if (!this.#begun && silentFor >= this.#patienceMs) this.#lost(error)',
      },
    ),
  },
  {
    breaks: 'request-id-once',
    bug: "expired rows are removed according to a node's clock",
    during: { ...during('clock-wrong-at-start'), leastStrikes: 1 },
    replacements: [
      ...inFile('start/service/jobs.ts', {
        from: 'removeExpired(tasks, { clock, goOn, onRun })',
        to: 'removeExpired(tasks, { clock: () => new Date(), goOn, onRun })',
      }),
      ...inFile('start/service/service.ts', {
        from: 'mayWork: () => clockAgreement(clockAhead()).works,',
        to: 'mayWork: () => true,',
      }),
    ],
  },
  {
    breaks: 'stays-good',
    bug: 'a node uses its own clock, and serves however wrong that is',
    during: { ...during('clock-wrong-at-start'), leastStrikes: 1 },
    replacements: [
      ...inFile('start/installation.ts', {
        from: 'clock = database.clock.now, machineClock',
        to: 'clock = systemClock, machineClock',
      }),
      ...inFile('start/service/service.ts', {
        from: 'return serves ? undefined : says',
        to: 'return serves || says === undefined ? undefined : undefined',
      }),
    ],
  },
  {
    breaks: 'rule-removed-refused',
    bug: 'a rule is removed, but its sessions are not revoked',
    replacements: inFile('ci/rules/managing/remove-rule.ts', {
      from: 'const sessions = await tokenSessions.revokeOfRules([id], { at: clock(), by })',
      to: 'const sessions = []',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'serial-one-key',
    bug: 'a taken serial is only looked up, and no constraint forbids it',
    replacements: [
      ...inFile('devices/registration/issue-serial.ts', {
        from: 'if (holder && !givesWay(holder, model.policy)) return { taken: holder }\n  return { ...name, holder, revision',
        to: 'return { ...name, holder: undefined, revision',
      }),
      ...inFile('devices/serials/serial-holder-store.ts', {
        from: 'where serial_holder.device_id is null',
        to: 'where true',
      }),
    ],
    group: 'calm 1',
  },
  {
    breaks: 'key-one-serial',
    bug: 'a registered key is not found, and no constraint forbids a second row',
    replacements: inFile('devices/device-store.ts', {
      from: "const row = rows.find(({ status }) => status !== 'superseded') ?? rows[0]",
      to: 'const row = rows.find(() => false)',
    }),
    statements: ['drop index device_brand_id_model_device_key_id_bucket_key'],
    group: 'calm 1',
  },
  {
    breaks: 'nonce-once',
    bug: 'reuse of a nonce is not recognised',
    replacements: inFile('devices/nonce.ts', {
      from: "createHash('sha256').update(text).digest()",
      to: "createHash('sha256').update(kind === 'nonce' ? text + Math.random() : text).digest()",
    }),
    group: 'calm 1',
  },
  {
    breaks: 'request-id-once',
    bug: 'reuse of a request-id is not recognised',
    replacements: inFile('devices/nonce.ts', {
      from: "createHash('sha256').update(text).digest()",
      to: "createHash('sha256').update(kind === 'nonce' ? text : text + Math.random()).digest()",
    }),
    group: 'calm 2',
  },
  {
    breaks: 'id-token-once',
    bug: 'reuse of an ID token is not recognised',
    replacements: inFile('ci/id-token/verify.ts', {
      from: "key: typeof jti === 'string' ? jti : hashOfSigned(text)",
      to: 'key: hashOfSigned(text) + Math.random()',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'nothing-missing',
    bug: 'a login is acknowledged, but its session is not recorded',
    during: WORKERS,
    replacements: inFile('tokens/authentication/verify-session.ts', {
      from: 'if (!(await openSession(opening, deps))) return undefined',
      to: '',
    }),
    group: 'workers',
  },
  {
    breaks: 'nothing-missing',
    bug: 'a discharge with a password is acknowledged, but its session is not recorded',
    replacements: inFile('identity/passwords/discharge-with-password.ts', {
      from: 'if (caveat.isOwn && deps.sessions) await openOnce({ account, caveat, source }, deps.sessions)',
      to: '',
    }),
    group: 'calm 3',
  },
  {
    breaks: 'nothing-missing',
    bug: 'an asynchronous standby is promoted',
    during: { ...during('primary-lost'), asynchronous: true },
    replacements: [],
  },
  {
    breaks: 'job-item-once',
    bug: 'changes by a job do not name the job',
    replacements: inFile('management/jobs/job-authority.ts', {
      from: '{ source: maker.source, job: id }',
      to: '{ source: maker.source }',
    }),
    group: 'calm 2',
  },
  {
    breaks: 'verify-agrees',
    bug: 'an audit log entry is linked at the wrong place',
    finding: /^audit: /,
    replacements: inFile('audit/link.ts', {
      from: 'const hash = hashOf(entry, { seq, previousHash })',
      to: 'const hash = hashOf(entry, { seq: seq + 1, previousHash })',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'stays-good',
    bug: 'a rotated key is forgotten',
    during: { ...during('keys-rotated'), leastSeconds: 0, leastStrikes: 3 },
    replacements: inFile('keyring/key-cache.ts', {
      from: 'this.#byId.set(key.id, key)',
      to: 'this.#byId.clear(); this.#byId.set(key.id, key)',
    }),
  },
  {
    breaks: 'only-503',
    bug: 'an unavailable database is a fault',
    during: during('postgres-killed'),
    replacements: inFile('database/errors/away.ts', {
      from: 'return error instanceof Error && meansAway(error) ? away(error, file) : error',
      to: 'return error',
    }),
  },
  {
    breaks: 'serves-again',
    bug: "a worker's death stops its node",
    during: during('worker-killed'),
    replacements: inFile('workers/supervise.ts', {
      from: "worker.once('exit', (code: number | null) => this.#ended(place, worker, code ?? undefined))",
      to: "worker.once('exit', () => process.exit(9))",
    }),
  },
  {
    breaks: 'revoked-refused',
    bug: 'a read that overlapped a change is cached',
    during: during('connection-delayed'),
    replacements: inFile(
      'database/changes/memory.ts',
      {
        from: 'if (freshness.position !== position) return value',
        to: '',
      },
      // A node reads for longer than a change takes to arrive.
      {
        from: 'const value = await read()',
        to: 'const value = await read(); await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000))',
      },
    ),
  },
  {
    breaks: 'job-item-once',
    bug: "the outcome of a job's item is stored in a second transaction, after its change",
    replacements: inFile('management/jobs/run-item.ts', {
      from: 'await on.jobs.settle(id, { place, ...outcome, code: undefined, message: undefined, extra: undefined })\n        settled = true',
      to: 'void outcome',
    }),
    statements: LOST_OUTCOMES,
    group: 'calm 3',
  },
  {
    breaks: 'stays-good',
    bug: 'a node refuses what it could not revoke',
    // The node finds the session, but cannot write.
    during: during('disk-full'),
    replacements: [
      ...inFile('tokens/revoke.ts', {
        from: 'const revoke = (id: SessionId) =>',
        to: 'const revoke = (id: SessionId) => (globalThis.tried ??= new Set()).add(id) &&',
      }),
      ...inFile('tokens/authentication/verify-session.ts', {
        from: 'refuseRevoked(session)\n  const cleared',
        to: 'if (globalThis.tried?.has(written.sessionId)) throw unknownSession()\n  refuseRevoked(session)\n  const cleared',
      }),
      ...inFile('tokens/authentication/remembered-logins.ts', {
        from: 'clock().getTime() < known.until ?',
        to: 'clock().getTime() < known.until && !globalThis.tried?.has(known.sessionId) ?',
      }),
    ],
  },
  {
    breaks: 'audited',
    bug: 'a revocation has no entry in the audit log',
    finding: /lacks the revocation of session/,
    replacements: inFile('tokens/revoke.ts', {
      from: "if (revoked?.first) await record({ action: 'token.revoke', subject: id })",
      to: '',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'job-kept',
    bug: 'a job is acknowledged but not written',
    replacements: inFile(
      'management/jobs/make-job.ts',
      {
        from: 'await jobs.add(job, subjects)',
        to: '',
      },
      {
        from: "await record({ action: 'job.add', subject: job.id, details: { kind, total: job.total, ...settings } })",
        to: 'void record',
      },
    ),
    group: 'calm 1',
  },
  {
    breaks: 'no-more-rights',
    bug: 'anyone can grant roles',
    replacements: inFile('management/grants/add-grant.ts', {
      from: "requireForAll(authority, 'roles:manage')\n  requireRecentPerson(authority, now)",
      to: '',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'resources-bounded',
    bug: 'each request leaks memory',
    finding: /MB of memory/,
    replacements: inFile('tokens/authentication/verify-session.ts', {
      from: 'const identity = deps.identity\n',
      to: 'const identity = deps.identity\n  ;(globalThis.kept ??= []).push(Buffer.alloc(2 * 2 ** 20, 1))\n',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'revocation-kept',
    bug: 'the console reports a revocation without doing it',
    replacements: inFile('console/token-routes.ts', {
      from: 'const token = await call(api.revokeMyToken, { parameters, body: {} })',
      to: 'const token = await call(api.myToken, { parameters })',
    }),
    group: 'calm 1',
  },
  {
    breaks: 'audited',
    bug: 'the audit log has an entry without a change',
    finding: /token\.revoke of .* twice/,
    replacements: inFile('tokens/administration/revoke-session.ts', {
      from: "if (revoked.first) await record({ action: 'token.revoke', subject: found.id })",
      to: "for (let times = 0; times < 2; times++) await record({ action: 'token.revoke', subject: found.id })",
    }),
    group: 'calm 1',
  },
  {
    breaks: 'logs-clean',
    bug: 'a periodic job always fails',
    finding: /always/,
    replacements: inFile('start/service/jobs.ts', {
      from: 'run: async (goOn) => void (await linkEntries(installation, goOn)) }',
      to: "run: async (goOn) => { await linkEntries(installation, goOn); throw new TypeError('always') } }",
    }),
    group: 'calm 1',
  },
  {
    breaks: 'resources-bounded',
    bug: 'each request leaks a descriptor',
    finding: /descriptors/,
    replacements: inFile('tokens/authentication/verify-session.ts', {
      from: 'const identity = deps.identity\n',
      to: "const identity = deps.identity\n  process.getBuiltinModule('node:fs').openSync('/dev/null')\n",
    }),
    group: 'calm 1',
  },
  {
    breaks: 'repeat-once',
    bug: 'repeats with one Idempotency-Key are not recognised',
    replacements: inFile('management/repeats/answer-once.ts', {
      from: "keyring.fingerprint('idempotency key', asked.key)",
      to: "keyring.fingerprint('idempotency key', asked.key + Math.random())",
    }),
    group: 'calm 1',
  },
  {
    breaks: 'logs-clean',
    bug: 'an unhandled rejection stops a worker',
    finding: /unhandled/,
    during: WORKERS,
    replacements: inFile('devices/registration/approval/wait-for-approval.ts', {
      from: "await stores.record({ action: 'device.wait', subject: device.id, details })",
      to: "await stores.record({ action: 'device.wait', subject: device.id, details }); void Promise.reject(new Error('unhandled'))",
    }),
    group: 'workers',
  },
  {
    breaks: 'import-whole',
    bug: 'an import uses several transactions',
    during: during('administered'),
    replacements: [
      ...inFile('package-directory/import.ts', {
        from: 'await packages.import(entries, {',
        to: 'void packages; await arguments[2].packages.import(entries, {',
      }),
      ...inFile('package-directory/package-store.ts', {
        from: 'async import(entries, { replaceAll, onProgress }) {\n      await inTransaction(query,',
        to: 'async import(entries, { replaceAll, onProgress }) {\n      await ((_, work) => work(query))(query,',
      }),
    ],
    group: 'administered',
  },
  {
    breaks: 'secret-rotated',
    bug: 'a rotation of the secret key uses several transactions',
    during: during('administered'),
    replacements: inFile(
      'cli/upkeep/secret.ts',
      {
        from: "const { reseal } = await import('../../keyring/reseal.ts')",
        to: "const { reseal } = await import('../../keyring/reseal.ts'); const { sealedValueStore } = await import('../../keyring/sealed-value-store.ts')",
      },
      {
        from: 'reseal({ sealer, authority, onProgress }, installation)',
        to: 'reseal({ sealer, authority, onProgress }, { ...installation, changeBy: (author) => (work) => installation.changeBy(author)((on) => work({ ...on, sealedValues: sealedValueStore(installation.database) })) })',
      },
    ),
    group: 'administered',
  },
  {
    breaks: 'backup-whole',
    bug: 'a backup leaves out a table',
    during: during('administered'),
    replacements: inFile('backup/back-up.ts', {
      from: 'for (const { table, size } of measured) {',
      to: "for (const { table, size } of measured.filter(({ table: { name } }) => name !== 'used_request_id')) {",
    }),
    group: 'administered',
  },
  {
    breaks: 'no-more-rights',
    bug: 'the last operator can lose the role',
    during: during('administered'),
    replacements: inFile('grants/last-operator.ts', {
      from: 'if (!operators.includes(accountId) || operators.length > 1) return',
      to: 'if (operators) return',
    }),
    group: 'administered',
  },
]
