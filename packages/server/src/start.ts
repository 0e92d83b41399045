/**
 * The composition root: the only file that builds and connects everything, and longer than the others for that reason.
 * Below it there are explicit arguments.
 */
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { accountStore } from './accounts/account-store.ts'
import { createPasswordHasher } from './accounts/password-hasher.ts'
import { accountOfIdentity } from './accounts/resolve-identity.ts'
import { allowListStore } from './brands/allow-list-store.ts'
import { apiKeyStore } from './brands/api-key-store.ts'
import { assertionStore } from './brands/assertion-store.ts'
import { brandStore } from './brands/brand-store.ts'
import { hardwareIdentityStore } from './brands/hardware-identity-store.ts'
import { modelStore } from './brands/model-store.ts'
import { announcement } from './cli/announcement.ts'
import { runProgram } from './cli/run-program.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Config, type Environment, processEnvironment, readConfig } from './config.ts'
import { type Counters, localCounters } from './counters.ts'
import { prepareDataDirectory } from './data-directory.ts'
import {
  type Database,
  inTransaction,
  isUniqueViolation,
  migrate,
  openDatabase,
  requireCurrentSchema,
} from './database/index.ts'
import { assertionRoutes } from './devices/assertion-routes.ts'
import { cloneStore } from './devices/clone-store.ts'
import { deviceSessionStore } from './devices/device-session-store.ts'
import { deviceStore } from './devices/device-store.ts'
import { deviceTransferStore } from './devices/device-transfer-store.ts'
import { type InRegister, LostRace } from './devices/register-transaction.ts'
import { registrationRoutes } from './devices/registration-routes.ts'
import { registrationStore } from './devices/registration-store.ts'
import { sessionRoutes } from './devices/session-routes.ts'
import { signingQueue } from './devices/signing-queue.ts'
import { createApp } from './http/app.ts'
import { listen } from './http/server.ts'
import { serviceRoutes } from './http/service-routes.ts'
import { agentStore } from './identity/agent-store.ts'
import { completedLoginStore } from './identity/completed-login-store.ts'
import { externalIdentity } from './identity/external-identity.ts'
import { identityRoutes } from './identity/routes.ts'
import { signInSessionStore } from './identity/sign-in-session-store.ts'
import { bundledIdentity, type IdentityService } from './identity/third-party.ts'
import { openKeyring } from './keyring/keyring.ts'
import { sealedValueStore } from './keyring/sealed-value-store.ts'
import { createSealer, type Sealer } from './keyring/sealing.ts'
import { packageStore } from './packages/package-store.ts'
import { resolvePackages } from './packages/resolve.ts'
import { readPreviousSecretKey, readSecretKey, rereadSecretKeys } from './secret-key.ts'
import { nextSignal } from './signals.ts'
import { createLog, type Log } from './telemetry/log.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { sessionStore } from './tokens/session-store.ts'
import { tokenPrefix } from './tokens/token-prefix.ts'
import type { Workspace } from './workspace.ts'

/** The release of the software, from the package's own manifest. */
const RELEASE: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

export interface StartOptions {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
  /** What the workers of a machine count together. Default: of this process alone. */
  readonly counters?: Counters
}

/** A service that listens. */
export interface RunningService {
  /** `http://HOST:PORT` of the socket. */
  readonly origin: string
  /** What clients reach it at, without a trailing slash. */
  readonly baseUrl: string
  readonly workspace: Workspace
  /** Finishes what is in flight, then closes the database. */
  close(): Promise<void>
}

/**
 * Opens the database and the keys. Throws `ConfigError`, `SchemaError`, `KeyringError` (a wrong secret) or
 * `Unavailable`.
 */
export async function openWorkspace(
  { config, log, clock = systemClock }: StartOptions,
  { updateSchema }: { readonly updateSchema: boolean },
): Promise<Workspace> {
  const sealer = await openSealer(config, log)
  const database = await openConfigured(config)
  try {
    // A command changes the schema only of a database that belongs to this machine alone.
    if (updateSchema || config.database.kind === 'sqlite') await migrateWithLog(database, log)
    else await requireCurrentSchema(database)
    return {
      config,
      clock,
      database,
      keyring: await openKeyring({ database, secret: sealer, clock }),
      passwords: createPasswordHasher(),
      accounts: accountStore(database),
      agents: agentStore(database),
      signInSessions: signInSessionStore(database),
      sessions: sessionStore(database),
      packages: packageStore(database),
      sealer,
      sealedValues: sealedValueStore(database),
      assertions: assertionStore(database),
      brands: brandStore(database),
      models: modelStore(database),
      apiKeys: apiKeyStore(database),
      allowList: allowListStore(database),
      hardwareIdentities: hardwareIdentityStore(database),
      devices: deviceStore(database),
      registrations: registrationStore(database),
      inRegister: registerOf(database),
      clones: cloneStore(database),
      deviceSessions: deviceSessionStore(database),
      deviceTransfers: deviceTransferStore(database),
      close: () => database.close(),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The stores of a registration, on one transaction. */
function registerOf({ query }: Database): InRegister {
  return async (work) => {
    try {
      return await inTransaction(query, (transaction) => {
        const on = { query: transaction }
        return work({
          devices: deviceStore(on),
          registrations: registrationStore(on),
          apiKeys: apiKeyStore(on),
        })
      })
    } catch (error) {
      throw isUniqueViolation(error) ? new LostRace() : error
    }
  }
}

async function openSealer({ secret, previousSecret }: Config, log: Log): Promise<Sealer> {
  const current = await readSecretKey(secret)
  const previous = await readPreviousSecretKey(previousSecret)
  for (const warning of [...current.warnings, ...(previous?.warnings ?? [])]) log.warn(warning)
  return createSealer({ current: current.key, previous: previous?.key }, () =>
    rereadSecretKeys(secret, previousSecret),
  )
}

async function openConfigured({ database, dataDirectory }: Config): Promise<Database> {
  if (database.kind === 'sqlite') await prepareDataDirectory(dataDirectory)
  return openDatabase(database)
}

async function migrateWithLog(database: Database, log: Log): Promise<readonly string[]> {
  const ran = await migrate(database)
  if (ran.length > 0) log.info({ migrations: ran }, 'the database is brought up to date')
  return ran
}

/** The whole service, or with `identityOnly` the identity service alone. */
export async function startService(
  options: StartOptions & { readonly identityOnly?: boolean },
): Promise<RunningService> {
  const workspace = await openWorkspace(options, { updateSchema: true })
  const opened: (() => Promise<void>)[] = [() => workspace.close()]
  const close = async () => {
    for (let next = opened.pop(); next; next = opened.pop()) await next()
  }
  try {
    return { ...(await listenWith(workspace, options, opened)), workspace, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What it opens it adds to `opened`, to be closed in the opposite order. */
async function listenWith(
  workspace: Workspace,
  options: StartOptions & { readonly identityOnly?: boolean },
  opened: (() => Promise<void>)[],
): Promise<Pick<RunningService, 'origin' | 'baseUrl'>> {
  const { config } = workspace
  const { log, identityOnly = false, counters = localCounters(workspace) } = options
  const listening = await listen(config.host, config.port)
  // Whatever is in flight may finish.
  opened.push(() => listening.close())
  const baseUrl = config.baseUrl ?? listening.origin
  const app = createApp({ log, baseUrl, trustedProxies: config.trustedProxies, serve: listening.serve })
  // First the long polls are told to come back later.
  opened.push(() => app.close())
  if (identityOnly) await addIdentity(app, '', baseUrl, workspace, counters)
  else await addService(app, baseUrl, workspace, { log, counters })
  await app.ready()
  listening.open()
  return { origin: listening.origin, baseUrl }
}

async function addService(
  app: FastifyInstance,
  baseUrl: string,
  workspace: Workspace,
  { log, counters }: { readonly log: Log; readonly counters: Counters },
): Promise<void> {
  const { config, clock, keyring, sessions, packages, accounts } = workspace
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

  await app.register(tokenRoutes, {
    keyring,
    sessions,
    clock,
    baseUrl,
    location,
    thirdParty,
    identity: { location: issuer, key: config.identityCondition },
    lifetime: { standard: config.tokenLifetime, most: config.tokenMaxLifetime },
    snapIds: (references) => resolvePackages(references, { packages }),
    accounts: {
      find: (id) => accounts.findById(id),
      accountOf: (subject) =>
        accountOfIdentity(
          { issuer, subject },
          { accounts, clock, bundledIssuer: config.identity ? undefined : bundled, rule: config.accounts },
        ),
    },
  })
  await app.register(assertionRoutes, workspace)
  await app.register(registrationRoutes, {
    ...workspace,
    signing: signingQueue(config.signingQueue),
    warn: (message) => log.warn(message),
    deviceServicePath: config.deviceServicePath,
    deviceServices: { baseUrl, allowed: config.deviceServiceUrls },
    fetch,
  })
  await addDeviceSessions(app, location, workspace)
  const { id } = await keyring.mintId('token')
  serviceRoutes(app, { release: RELEASE, baseUrl, identity: issuer, tokenPrefix: tokenPrefix(location, id) })
  log.debug({ location, issuer }, 'the tokens API is ready')
}

async function addDeviceSessions(
  app: FastifyInstance,
  location: string,
  { config, clock, database, keyring, assertions, models, deviceSessions }: Workspace,
): Promise<void> {
  await app.register(sessionRoutes, {
    keyring,
    clock,
    assertions,
    models,
    sessions: deviceSessions,
    inSessions: (work) =>
      inTransaction(database.query, (query) =>
        work({
          devices: deviceStore({ query }),
          sessions: deviceSessionStore({ query }),
          clones: cloneStore({ query }),
        }),
      ),
    unknownSessions: config.unknownSessions,
    sessionLifetime: config.deviceSessionLifetime,
    location,
  })
}

async function addIdentity(
  app: FastifyInstance,
  prefix: string,
  baseUrl: string,
  { keyring, accounts, passwords, agents, signInSessions, database, clock }: Workspace,
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
    completedLogins: completedLoginStore(database),
    clock,
    counters,
  })
}

/** The program: `words` as in `process.argv`. Resolves to the exit code; see `cli/context.ts`. */
export async function run(
  words: readonly string[],
  environment: Environment = processEnvironment(),
): Promise<number> {
  const { stdin, stdout, stderr } = process
  const settings = (port?: number): StartOptions => {
    const config = readConfig(environment, port === undefined ? undefined : { port })
    return { config, log: createLog({ level: config.logLevel, pretty: stderr.isTTY === true }) }
  }
  const quiet = (options: StartOptions): StartOptions => ({
    ...options,
    log: createLog({ level: 'warn', pretty: true }),
  })
  const serveUntilSignal = async (options: StartOptions, identityOnly: boolean) => {
    const service = await startService({ ...options, identityOnly })
    const signalled = nextSignal()
    try {
      stdout.write(await announce(service, identityOnly))
      const signal = await signalled
      options.log.info({ signal }, 'finishing what is in flight')
    } finally {
      await service.close()
    }
  }
  return runProgram(words.slice(2), {
    streams: { stdin, stdout, stderr },
    release: RELEASE,
    serve: () => serveUntilSignal(settings(), false),
    serveIdentity: () => serveUntilSignal(settings(8081), true),
    migrate: async () => {
      const { config, log } = settings()
      // So that a database never stands beside a key that is still to be made.
      await readSecretKey(config.secret)
      const database = await openConfigured(config)
      return migrateWithLog(database, log).finally(() => database.close())
    },
    withWorkspace: async (work) => {
      const workspace = await openWorkspace(quiet(settings()), { updateSchema: false })
      try {
        return await work(workspace)
      } finally {
        await workspace.close()
      }
    },
  })
}

async function announce({ origin, baseUrl, workspace }: RunningService, alone: boolean): Promise<string> {
  const { config, accounts } = workspace
  const { database } = config
  const identity = alone ? 'alone' : (config.identity ?? 'bundled')
  const hasAccount = (await accounts.page({ after: undefined, limit: 1 })).length > 0
  return announcement({ origin, baseUrl, release: RELEASE, database, identity, hasAccount })
}
