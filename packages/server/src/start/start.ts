/**
 * The composition root: the only file that builds and connects everything, and longer than the others for that reason.
 * Below it there are explicit arguments.
 */
import { existsSync, readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { OPERATOR } from '../accounts/account-fields.ts'
import { accountStore } from '../accounts/account-store.ts'
import { createPasswordHasher } from '../accounts/password-hasher.ts'
import { rememberedAccounts } from '../accounts/remembered-accounts.ts'
import { accountOfIdentity } from '../accounts/resolve-identity.ts'
import { auditStore } from '../audit/audit-store.ts'
import { changing, recordingOn } from '../audit/change-store.ts'
import { linkEntries } from '../audit/link.ts'
import { removeOldEntries } from '../audit/remove-old.ts'
import { wholeDatabaseStore } from '../backup/whole-database-store.ts'
import { brandStore } from '../brands/brand-store.ts'
import { signingKeyLives } from '../brands/keys/signing-key-life.ts'
import { allowListStore } from '../brands/models/allow-list/allow-list-store.ts'
import { apiKeyStore } from '../brands/models/api-keys/api-key-store.ts'
import { hardwareIdentityStore } from '../brands/models/hardware/hardware-identity-store.ts'
import { modelStore } from '../brands/models/model-store.ts'
import { assertionStore } from '../brands/trust/assertion-store.ts'
import type { Author, Changing } from '../change.ts'
import { verifyStore } from '../checkup/verify-store.ts'
import { announcement } from '../cli/announcement.ts'
import { EXIT, type Streams } from '../cli/context.ts'
import type { Storage, Stores, Workspace } from '../cli/installation.ts'
import { runProgram } from '../cli/run-program.ts'
import { type Clock, systemClock } from '../clock.ts'
import {
  type Config,
  ConfigError,
  type Environment,
  processEnvironment,
  readConfig,
} from '../config/config.ts'
import { prepareDataDirectory } from '../config/data-directory.ts'
import { requireTlsFiles } from '../config/postgres-tls-files.ts'
import {
  readPresentSecretKey,
  readPreviousSecretKey,
  readSecretKey,
  rereadSecretKeys,
} from '../config/secret-key.ts'
import { type Counters, localCounters } from '../counters.ts'
import {
  type ChangeFeed,
  type Database,
  inSnapshot,
  inTransaction,
  migrate,
  openChangeFeed,
  openDatabase,
  planMigrations,
  requireCurrentSchema,
  schemaState,
} from '../database/index.ts'
import { assertionRoutes } from '../devices/assertions/routes.ts'
import { deviceStore } from '../devices/device-store.ts'
import { registrationStore } from '../devices/registration/registration-store.ts'
import { registrationRoutes } from '../devices/registration/routes.ts'
import { signingQueue } from '../devices/registration/signing-queue.ts'
import { cloneStore } from '../devices/sessions/clone-store.ts'
import { deviceSessionStore } from '../devices/sessions/device-session-store.ts'
import { rememberedDeviceSessions } from '../devices/sessions/remembered-device-sessions.ts'
import { sessionRoutes } from '../devices/sessions/routes.ts'
import { deviceTransferStore, registerImport } from '../devices/transfer/device-transfer-store.ts'
import { createApp, pathOf } from '../http/app.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { limitRates } from '../http/limits/rate-limit.ts'
import { readiness } from '../http/readiness.ts'
import { listen } from '../http/server.ts'
import { serviceRoutes } from '../http/service-routes.ts'
import { agentStore } from '../identity/agents/agent-store.ts'
import { externalIdentity } from '../identity/discharge/external-identity.ts'
import { bundledIdentity, type IdentityService } from '../identity/discharge/third-party.ts'
import { completedLoginStore } from '../identity/logins/completed-login-store.ts'
import { signInSessionStore } from '../identity/logins/sign-in-session-store.ts'
import { identityRoutes } from '../identity/routes.ts'
import { leaseStore } from '../jobs/lease-store.ts'
import { type RetentionTask, removeExpired } from '../jobs/remove-expired.ts'
import { type Job, runJobs } from '../jobs/run-jobs.ts'
import { createKeyPairStore } from '../keyring/key-pair-store.ts'
import { openKeyring } from '../keyring/keyring.ts'
import { createRootKeyStore } from '../keyring/root-key-store.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import { createSealer, type Sealer } from '../keyring/sealing.ts'
import { packageStore } from '../package-directory/package-store.ts'
import { resolvePackages } from '../package-directory/resolve.ts'
import { createTelemetry } from '../telemetry/create.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { serveMetrics } from '../telemetry/metrics-server.ts'
import { observeDatabase, observeSigning, type Telemetry } from '../telemetry/telemetry.ts'
import { ofThisWorker } from '../telemetry/worker-metrics.ts'
import { rememberedSessions } from '../tokens/remembered-sessions.ts'
import { tokenRoutes } from '../tokens/routes.ts'
import { sessionStore } from '../tokens/session-store.ts'
import { tokenPrefix } from '../tokens/token-prefix.ts'
import { type InWorker, inWorker } from '../workers/in-worker.ts'
import { supervise } from '../workers/supervise.ts'
import { nextSignal } from './signals.ts'

/** The release of the software, from the package's own manifest. */
const RELEASE: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version

export interface StartOptions {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
  /** What the workers of a machine count together. Default: of this process alone. */
  readonly counters?: Counters
  /** What stands around the statements of the database. Default: nothing. */
  readonly telemetry?: Telemetry
}

/** A service that listens. */
export interface RunningService {
  /** `http://HOST:PORT` of the socket. */
  readonly origin: string
  /** What clients reach it at, without a trailing slash. */
  readonly baseUrl: string
  /** Of the metrics, where this process serves them. */
  readonly metricsUrl: string | undefined
  readonly workspace: Workspace
  /** Finishes what is in flight, then closes the database. */
  close(): Promise<void>
}

/**
 * Opens the database and the keys. Throws `ConfigError`, `SchemaError`, `KeyringError` (a wrong secret) or
 * `Unavailable`.
 */
export async function openWorkspace(
  { config, log, clock = systemClock, telemetry }: StartOptions,
  { updateSchema }: { readonly updateSchema: boolean | 'done' },
): Promise<Workspace> {
  const sealer = await openSealer(config, log)
  const database = await openConfigured(config, telemetry)
  try {
    // A command changes the schema only of a database that belongs to this machine alone.
    if (updateSchema === true || (!updateSchema && config.database.kind === 'sqlite')) {
      await migrateWithLog(database, { config, log, clock })
    } else if (!updateSchema) await requireCurrentSchema(database)
    return {
      config,
      clock,
      database,
      keyring: await openKeyring({ database, secret: sealer, clock }),
      passwords: createPasswordHasher(),
      sealer,
      deviceTransfers: deviceTransferStore(database),
      ...storesOn(database),
      ...changesOf({ database, clock, sealer, operator: operatorOf(config) }),
      close: () => database.close(),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

const storesOn = (on: Pick<Database, 'query'>): Stores => ({
  accounts: accountStore(on),
  agents: agentStore(on),
  signInSessions: signInSessionStore(on),
  completedLogins: completedLoginStore(on),
  sessions: sessionStore(on),
  packages: packageStore(on),
  assertions: assertionStore(on),
  brands: brandStore(on),
  models: modelStore(on),
  apiKeys: apiKeyStore(on),
  allowList: allowListStore(on),
  hardwareIdentities: hardwareIdentityStore(on),
  devices: deviceStore(on),
  registrations: registrationStore(on),
  clones: cloneStore(on),
  deviceSessions: deviceSessionStore(on),
  audit: auditStore(on),
})

interface ChangesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
  readonly operator: Author
}

function changesOf({
  database,
  clock,
  sealer,
  operator,
}: ChangesOptions): Pick<Workspace, 'change' | 'changeBy' | 'inImport' | 'inAudit'> {
  const changeBy = changing(database, clock, storesOn)
  return {
    changeBy,
    change: changing(database, clock, (on) => ({
      ...storesOn(on),
      rootKeys: createRootKeyStore(on, sealer),
      keyPairs: createKeyPairStore(on, sealer),
      sealedValues: sealedValueStore(on),
    }))(operator),
    inImport: (work) =>
      database.unhurried((query) =>
        changing({ query }, clock, (on) => ({ register: registerImport(on) }))(operator)(work),
      ),
    inAudit: (work) => inTransaction(database.query, (query) => work(auditStore({ query }))),
  }
}

/** Who runs this process, as far as the system knows. `sudo` says who they were before. */
function operatorOf({ sudoUser }: Config): Author {
  const before = sudoUser === undefined ? '' : `, sudo by ${sudoUser}`
  return { actor: OPERATOR, source: `command line, ${systemUser()}${before}` }
}

function systemUser(): string {
  try {
    const { uid, username } = userInfo()
    return `${uid} ${username}`
  } catch {
    // In a container a user may have a number and no name.
    return String(process.getuid?.() ?? 'unknown user')
  }
}

async function openSealer(
  { secret, previousSecret }: Config,
  log: Log,
  read = readSecretKey,
): Promise<Sealer> {
  const current = await read(secret)
  const previous = await readPreviousSecretKey(previousSecret)
  for (const warning of [...current.warnings, ...(previous?.warnings ?? [])]) log.warn(warning)
  return createSealer({ current: current.key, previous: previous?.key }, () =>
    rereadSecretKeys(secret, previousSecret),
  )
}

function storageOf(database: Database, operator: Author): Storage {
  return {
    clock: systemClock,
    wholeDatabase: wholeDatabaseStore(database, (on) => ({
      ...recordingOn(on, systemClock, operator),
      sealed: sealedValueStore(on),
    })),
    atOneMoment: (work) =>
      inSnapshot(database, (query) =>
        work({
          rows: verifyStore({ query, kind: database.kind }),
          sealed: sealedValueStore({ query }),
          audit: auditStore({ query }),
        }),
      ),
  }
}

async function openConfigured({ database, dataDirectory }: Config, telemetry?: Telemetry): Promise<Database> {
  if (database.kind === 'sqlite') await prepareDataDirectory(dataDirectory)
  await requireTlsFiles(database)
  const system = database.kind === 'sqlite' ? 'sqlite' : 'postgresql'
  return openDatabase(database, telemetry && observeDatabase(telemetry, system))
}

async function migrateWithLog(
  database: Database,
  { config, log, clock = systemClock }: StartOptions,
): Promise<readonly string[]> {
  const ran = await migrate(database, {
    also: (query, migrations) =>
      recordingOn({ query }, clock, operatorOf(config)).record({
        action: 'schema.migrate',
        subject: migrations.at(-1) ?? '',
        details: { migrations },
      }),
  })
  if (ran.length > 0) log.info({ migrations: ran }, 'the database is brought up to date')
  return ran
}

export interface ServiceOptions extends StartOptions {
  /** The identity service alone. */
  readonly identityOnly?: boolean
  /** Its supervisor has brought the schema up to date. */
  readonly schemaIsDone?: boolean
  /** Does its part of the periodic work: linking the audit log, retention. Default: no. */
  readonly jobs?: boolean
  /** Where the metrics go to. Default: to the port that the configuration gives them. */
  readonly shareMetrics?: (metrics: Metrics) => void
}

type ObservedOptions = ServiceOptions & { readonly telemetry: Telemetry }

/** The whole service, or with `identityOnly` the identity service alone. */
export async function startService(given: ServiceOptions): Promise<RunningService> {
  const { metrics, tracing } = given.config
  const telemetry = await createTelemetry({
    ...given,
    release: RELEASE,
    tracing,
    metrics: metrics !== undefined,
  })
  const options = { ...given, telemetry }
  const opened: (() => Promise<void>)[] = [() => telemetry.tracing.close()]
  const close = async () => {
    for (let next = opened.pop(); next; next = opened.pop()) await next()
  }
  try {
    const workspace = await openWorkspace(options, { updateSchema: given.schemaIsDone ? 'done' : true })
    opened.push(() => workspace.close())
    const metricsUrl = await publishMetrics(workspace, options, opened)
    if (given.jobs) {
      const jobs = runJobs(jobsOf(workspace, options), {
        leases: leaseStore(workspace.database),
        onError: (error, job) => given.log.warn({ err: error, job }, 'a job failed, and is tried again'),
      })
      opened.push(() => jobs.stop())
    }
    return { ...(await listenWith(workspace, options, opened)), metricsUrl, workspace, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What whichever process holds the lease does, beside answering. */
function jobsOf(workspace: Workspace, { log, telemetry }: ObservedOptions): readonly Job[] {
  const { clock, database } = workspace
  const onRun = (table: string, outcome: 'ok' | 'failed', removed: number) => {
    telemetry.metrics.retained(table, outcome, removed)
    if (removed > 0) log.debug({ table, removed }, 'removed what has expired')
  }
  const change = changing(database, clock, storesOn)({ actor: 'service', source: hostname() })
  const tasks = retentionTasks(workspace, change)
  return [
    { name: 'audit-link', everyMs: 1_000, run: async (goOn) => void (await linkEntries(workspace, goOn)) },
    { name: 'retention', everyMs: 600_000, run: (goOn) => removeExpired(tasks, { clock, goOn, onRun }) },
  ]
}

const DAY_MS = 86_400_000

/** In the order of docs/operations.md. */
function retentionTasks(
  {
    config: { retention },
    completedLogins,
    signInSessions,
    sessions,
    deviceSessions,
    registrations,
    clones,
  }: Workspace,
  change: Changing<Stores>,
): readonly RetentionTask[] {
  const { audit } = retention
  return [
    // A day longer than they are good for: by the clock of another node they may be good still.
    { table: 'completed_login', keepMs: DAY_MS, remove: completedLogins.removeExpired },
    { table: 'sign_in_session', keepMs: DAY_MS, remove: signInSessions.removeExpired },
    { table: 'token_session', keepMs: retention.tokenSessions, remove: sessions.removeEnded },
    { table: 'device_session', keepMs: retention.deviceSessions, remove: deviceSessions.removeExpired },
    { table: 'device_registration', keepMs: retention.registrations, remove: registrations.removeSettled },
    { table: 'clone_evidence', keepMs: retention.cloneEvidence, remove: clones.removeOld },
    ...(audit === undefined
      ? []
      : [
          {
            table: 'audit_entry',
            keepMs: audit,
            remove: (before: Date, limit: number) => removeOldEntries(before, limit, { change }),
          },
        ]),
  ]
}

const SIGNING_KEYS_MS = 60_000

/** Undefined where they are not served by this process. */
async function publishMetrics(
  workspace: Workspace,
  { log, telemetry: { metrics }, shareMetrics }: ObservedOptions,
  opened: (() => Promise<void>)[],
): Promise<string | undefined> {
  const { config, database } = workspace
  metrics.watch({ pool: () => database.pool() })
  shareMetrics?.(metrics)
  if (!config.metrics) return undefined
  const lookAtKeys = () =>
    signingKeyLives(workspace).then(metrics.signingKeys, (error: unknown) =>
      log.warn({ err: error }, 'could not look at the signing keys'),
    )
  await lookAtKeys()
  const timer = setInterval(lookAtKeys, SIGNING_KEYS_MS)
  opened.push(async () => clearInterval(timer))
  if (shareMetrics) return undefined
  const served = await serveMetrics(config.metrics, metrics.registry, log)
  opened.push(() => served.close())
  return served.url
}

/** What it opens it adds to `opened`, to be closed in the opposite order. */
async function listenWith(
  workspace: Workspace,
  options: ObservedOptions,
  opened: (() => Promise<void>)[],
): Promise<Pick<RunningService, 'origin' | 'baseUrl'>> {
  const { config } = workspace
  const { log, identityOnly = false, counters = localCounters(workspace), telemetry } = options
  const { metrics } = telemetry
  const feed = identityOnly ? undefined : changeFeedOf(workspace)
  // It is heard until the last request is answered.
  opened.push(async () => feed?.close())
  if (feed) metrics.watch({ changes: () => feed, caches: () => feed.memories })
  const listening = await listen(
    config.host,
    config.port,
    {
      limit: config.maxInFlight,
      basePath: pathOf(config.baseUrl ?? 'http://localhost'),
      onRefused: (refused) => {
        metrics.refusedEarly('service-unavailable', refused)
        log.warn({ refused }, 'too many requests in flight')
      },
    },
    { connections: config.maxConnections },
  )
  metrics.watch({ connections: () => ({ open: listening.connections, inFlight: listening.inFlight.size }) })
  // Whatever is in flight may finish.
  opened.push(() => listening.close())
  const baseUrl = config.baseUrl ?? listening.origin
  const app = createApp({
    log,
    baseUrl,
    trustedProxies: config.trustedProxies,
    telemetry,
    accessLog: config.accessLog,
    serve: listening.serve,
    unanswered: listening.unanswered,
    hold: (response) => listening.inFlight.hold(response),
  })
  // First the long polls are told to come back later.
  opened.push(() => app.close())
  limitRates(app, { counters, limits: config.rateLimits })
  const ready = readiness({ schema: () => schemaState(workspace.database) })
  healthRoutes(app, ready.unready)
  // Before all else: load balancers see it, and clients are told to connect elsewhere.
  opened.push(async () => {
    ready.leave()
    listening.leave()
    if (config.shutdownDelay > 0) await sleep(config.shutdownDelay)
  })
  if (identityOnly) await addIdentity(app, '', baseUrl, workspace, counters)
  else await addService(app, baseUrl, workspace, { log, counters, feed, telemetry })
  await app.ready()
  listening.open()
  return { origin: listening.origin, baseUrl }
}

function changeFeedOf({ config, database }: Workspace): ChangeFeed | undefined {
  const { database: settings } = config
  return settings.kind === 'postgres'
    ? openChangeFeed(database, settings.listenUrl ?? settings.url)
    : undefined
}

async function addService(
  app: FastifyInstance,
  baseUrl: string,
  workspace: Workspace,
  {
    log,
    counters,
    feed,
    telemetry,
  }: {
    readonly log: Log
    readonly counters: Counters
    readonly feed: ChangeFeed | undefined
    readonly telemetry: Telemetry
  },
): Promise<void> {
  const { config, clock, keyring, sessions, packages, accounts, changeBy } = workspace
  const location = new URL(baseUrl).host
  const bundled = `${baseUrl}/identity`
  const thirdParty: IdentityService = config.identity
    ? externalIdentity({
        url: config.identity.url,
        pinnedPublicKey: config.identity.publicKey,
        fetch,
        clock,
      })
    : bundledIdentity(keyring, bundled)
  const issuer = config.identity?.url ?? bundled
  if (!config.identity) await addIdentity(app, '/identity', baseUrl, workspace, counters)

  const remembered = rememberedAccounts(accounts, feed)
  await app.register(tokenRoutes, {
    keyring,
    sessions: rememberedSessions(sessions, feed),
    changeBy,
    clock,
    baseUrl,
    location,
    thirdParty,
    identity: { location: issuer, key: config.identityCondition },
    lifetime: { standard: config.tokenLifetime, most: config.tokenMaxLifetime },
    snapIds: (references) => resolvePackages(references, { packages }),
    accounts: {
      find: (id) => remembered.findById(id),
      accountOf: (subject, source) =>
        accountOfIdentity(
          { issuer, subject },
          {
            accounts,
            changeBy,
            clock,
            bundledIssuer: config.identity ? undefined : bundled,
            rule: config.accounts,
            source,
          },
        ),
    },
  })
  await app.register(assertionRoutes, workspace)
  const signing = signingQueue(config.signingQueue, observeSigning(telemetry))
  telemetry.metrics.watch({ signing: signing.state })
  await app.register(registrationRoutes, {
    ...workspace,
    signing,
    warn: (message) => log.warn(message),
    deviceServicePath: config.deviceServicePath,
    deviceServices: { baseUrl, allowed: config.deviceServiceUrls },
    fetch,
  })
  await addDeviceSessions(app, location, workspace, feed)
  const { id } = await keyring.mintId('token')
  serviceRoutes(app, { release: RELEASE, baseUrl, identity: issuer, tokenPrefix: tokenPrefix(location, id) })
  log.debug({ location, issuer }, 'the tokens API is ready')
}

async function addDeviceSessions(
  app: FastifyInstance,
  location: string,
  { config, clock, database, keyring, assertions, models, deviceSessions }: Workspace,
  feed: ChangeFeed | undefined,
): Promise<void> {
  await app.register(sessionRoutes, {
    keyring,
    clock,
    assertions,
    models,
    sessions: rememberedDeviceSessions(deviceSessions, feed),
    inSessionsBy: changing(database, clock, (on) => ({
      devices: deviceStore(on),
      sessions: deviceSessionStore(on),
      clones: cloneStore(on),
    })),
    unknownSessions: config.unknownSessions,
    sessionLifetime: config.deviceSessionLifetime,
    location,
  })
}

async function addIdentity(
  app: FastifyInstance,
  prefix: string,
  baseUrl: string,
  { keyring, accounts, passwords, agents, signInSessions, completedLogins, changeBy, clock }: Workspace,
  counters: Counters,
): Promise<void> {
  await app.register(identityRoutes, {
    prefix,
    location: `${baseUrl}${prefix}`,
    keyring,
    accounts,
    passwords,
    agents,
    signInSessions,
    completedLogins,
    changeBy,
    clock,
    counters,
  })
}

export interface RunOptions {
  /** Default: that of this process. */
  readonly environment?: Environment
  /** Default: those of this process. */
  readonly streams?: Streams
}

/** The program: `words` as in `process.argv`. Resolves to the exit code; see `cli/context.ts`. */
export async function run(
  words: readonly string[],
  { environment = processEnvironment(), streams = process }: RunOptions = {},
): Promise<number> {
  const { stdout, stderr } = streams
  const settings = (port?: number): StartOptions => {
    const config = readConfig(environment, port === undefined ? undefined : { port })
    return { config, log: createLog({ level: config.logLevel, pretty: stderr.isTTY === true }) }
  }
  const quiet = (options: StartOptions): StartOptions => ({
    ...options,
    log: createLog({ level: 'warn', pretty: true }),
  })
  const say = (text: string) => stdout.write(text)
  const serve = async (options: ServiceOptions) => {
    const role = inWorker({ fallback: countersOfProcess() })
    if (role) return serveInWorker(options, role)
    return options.config.workers > 1 ? serveWithWorkers(options, say) : serveAlone(options, say)
  }
  return runProgram(words.slice(2), {
    streams,
    release: RELEASE,
    serve: () => serve(settings()).finally(endSoon),
    serveIdentity: () => serve({ ...settings(8081), identityOnly: true }).finally(endSoon),
    migrate: async () => {
      const options = settings()
      const { config } = options
      // So that a database never stands beside a key that is still to be made.
      await readSecretKey(config.secret)
      const database = await openConfigured(config)
      return migrateWithLog(database, options).finally(() => database.close())
    },
    planMigrations: async () => {
      const { kind, ...target } = settings().config.database
      if ('file' in target && !existsSync(target.file)) return planMigrations(undefined, kind)
      const database = await openConfigured(settings().config)
      return planMigrations(database, kind).finally(() => database.close())
    },
    withStorage: async (needs, work) => {
      const { config } = settings()
      const { kind, ...target } = config.database
      if (needs !== 'nothing' && 'file' in target && !existsSync(target.file)) {
        throw new ConfigError(`RATAFIA_DATA_DIR: there is no database ${target.file}.`)
      }
      const database = await openConfigured(config)
      try {
        if (needs === 'current-schema') await requireCurrentSchema(database)
        return await work(storageOf(database, operatorOf(config)))
      } finally {
        await database.close()
      }
    },
    openSealer: async () => {
      const { config, log } = quiet(settings())
      return openSealer(config, log, readPresentSecretKey)
    },
    withWorkspace: async (work) => {
      const workspace = await openWorkspace(quiet(settings()), { updateSchema: false })
      try {
        const result = await work(workspace)
        // The change is made; if this fails, the service does it, or the next command.
        await linkEntries(workspace).catch(() => undefined)
        return result
      } finally {
        await workspace.close()
      }
    },
  })
}

/** By no clock that somebody sets: set back, it would refuse everybody for as long. */
const countersOfProcess = (): Counters => localCounters({ clock: () => new Date(performance.now()) })

/**
 * What is ours has ended then. The exporter of traces may wait on, longer than a service manager does, for a collector
 * that does not answer: nobody waits for that.
 */
const endSoon = (): void => void setTimeout(() => process.exit(), 500).unref()

async function serveAlone(options: ServiceOptions, say: (text: string) => void): Promise<void> {
  const service = await startService({ ...options, counters: countersOfProcess(), jobs: true })
  const signalled = nextSignal()
  try {
    const announce = await announcer(service.workspace, options)
    say(announce(service.origin))
    const signal = await signalled
    options.log.info({ signal }, 'finishing what is in flight')
  } finally {
    await service.close()
  }
}

/** Beyond what a worker itself waits for its requests, which it then cuts off. */
const WORKER_PATIENCE_MS = 28_000

async function serveWithWorkers(options: ServiceOptions, say: (text: string) => void): Promise<void> {
  const { config, log } = options
  const signal = nextSignal()
  // Once for all of them: the directory, the secret key, the schema, the first keys.
  const workspace = await openWorkspace(options, { updateSchema: true })
  const announce = await announcer(workspace, options).finally(() => workspace.close())
  await supervise({
    ...config,
    log,
    counters: countersOfProcess(),
    waitingCode: EXIT.unavailable,
    patienceMs: config.shutdownDelay + WORKER_PATIENCE_MS,
    onListening: (origin) => say(announce(origin)),
    signal,
  })
}

async function serveInWorker(options: ServiceOptions, worker: InWorker): Promise<void> {
  // From the start on: a signal may go to every process of a terminal or a service.
  const ended = Promise.race([nextSignal(), worker.told])
  try {
    const service = await startService({
      ...options,
      counters: worker.counters,
      schemaIsDone: true,
      jobs: true,
      shareMetrics: (metrics) => worker.shareMetrics(() => ofThisWorker(metrics)),
    })
    worker.listening(service.origin)
    await ended
    await service.close()
  } finally {
    worker.leave()
  }
}

/** What to say of the service at an origin. */
async function announcer(
  { config, accounts }: Workspace,
  { identityOnly = false }: ServiceOptions,
): Promise<(origin: string) => string> {
  const { database, baseUrl } = config
  const identity = identityOnly ? 'alone' : (config.identity ?? 'bundled')
  const hasAccount = (await accounts.page({ after: undefined, limit: 1 })).length > 0
  return (origin) =>
    announcement({ origin, baseUrl: baseUrl ?? origin, release: RELEASE, database, identity, hasAccount })
}
