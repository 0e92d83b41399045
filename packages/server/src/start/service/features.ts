/** Connects each feature's routes with their dependencies. */
import { availableParallelism } from 'node:os'
import { isAccountId, ROLES } from '@ratafia/api'
import type { UnverifiedAssertion } from '@ratafia/assertions'
import type { FastifyInstance } from 'fastify'
import type { Account } from '../../accounts/account.ts'
import { accountOfIdentity } from '../../accounts/resolve-identity.ts'
import type { ActivityRecorder } from '../../activity/activity-recorder.ts'
import type { BrandMemory } from '../../brands/brand-memory.ts'
import { rememberedBrands } from '../../brands/remembered-brands.ts'
import { recognised } from '../../brands/trust/recognised.ts'
import type { Config } from '../../config/config.ts'
import { noSetupReason } from '../../config/setup.ts'
import { returnUrl } from '../../console/sign-in/console-path.ts'
import type { Tally } from '../../counting/tally.ts'
import type { CacheFreshness } from '../../database/index.ts'
import type { SeenDevice } from '../../devices/activity/device-activity.ts'
import { notingRegistrations, notingSessions } from '../../devices/activity/noting.ts'
import { assertionRoutes } from '../../devices/assertions/routes.ts'
import { CLONE_EVIDENCE_KINDS } from '../../devices/clones/clone-evidence.ts'
import { type CloneStore, cloneStore } from '../../devices/clones/clone-store.ts'
import { registrationStore } from '../../devices/registration/registration-store.ts'
import { registrationRoutes } from '../../devices/registration/routes.ts'
import { signingQueue } from '../../devices/registration/signing-queue.ts'
import type { DeviceAssertions } from '../../devices/sessions/check-session-request.ts'
import { type DeviceSessionStore, deviceSessionStore } from '../../devices/sessions/device-session-store.ts'
import { rememberedDeviceSessions } from '../../devices/sessions/remembered-device-sessions.ts'
import { sessionRoutes } from '../../devices/sessions/routes.ts'
import { pathOf } from '../../http/app.ts'
import { docsRoutes } from '../../http/description/docs-routes.ts'
import type { DocsSite } from '../../http/description/docs-site.ts'
import { securityTxt } from '../../http/description/security-txt.ts'
import { type FrontFacts, serviceRoutes } from '../../http/description/service-routes.ts'
import { rememberedAgents } from '../../identity/agents/remembered-agents.ts'
import { externalIdentity } from '../../identity/discharge/external-identity.ts'
import { passwordRoutes } from '../../identity/passwords/routes.ts'
import { identityRoutes, signInThrottle } from '../../identity/routes.ts'
import { setupRoutes } from '../../identity/setup/routes.ts'
import type { Installation } from '../../installation.ts'
import type { Counters } from '../../limits/counters.ts'
import { resolvePackages, unknownPackages } from '../../package-directory/resolve.ts'
import type { Log } from '../../telemetry/log.ts'
import { observeSigning, type Telemetry } from '../../telemetry/telemetry.ts'
import { bundledIdentity, type IdentityService } from '../../third-party/identity-service.ts'
import type { TlsSource } from '../../tls/served-tls.ts'
import { type TokenUses, talliedLogins } from '../../tokens/activity/token-uses.ts'
import { rememberedLogins } from '../../tokens/authentication/remembered-logins.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'
import { gatewayRoutes } from '../../tokens/dialects/gateway-routes.ts'
import { ubuntuOneRoutes } from '../../tokens/dialects/routes.ts'
import { tokenRoutes } from '../../tokens/routes.ts'
import { rootPrefixes, tokenPrefix } from '../../tokens/token-prefix.ts'
import type { AccountFrame } from '../../web/send-page.ts'
import { changing, newEntry } from '../changing.ts'
import { RELEASE } from '../release/release.ts'
import { storesInChange } from '../stores.ts'
import { addCi } from './ci.ts'
import { addManagement } from './management.ts'
import { toolLogins } from './tool-logins.ts'

/** The parts of the identity service. */
export interface IdentityParts {
  readonly app: FastifyInstance
  /** The service's URL, without a trailing slash. */
  readonly baseUrl: string
  readonly installation: Installation
  readonly counters: Counters
  readonly tally: Tally
  readonly telemetry: Telemetry
  readonly log: Log
  /** Whether caches can be used; undefined if the identity service runs alone and caches nothing. */
  readonly freshness?: CacheFreshness
}

/** The parts of all features. */
export interface ServiceParts extends IdentityParts {
  readonly freshness: CacheFreshness
  /** The certificate that this process serves; undefined without TLS. */
  readonly tls: TlsSource | undefined
  /** Records the devices that this process sees. */
  readonly activity: ActivityRecorder<SeenDevice>
  /** Records the tokens that this process verifies. */
  readonly tokenUses: TokenUses
  readonly readDocs: () => Promise<DocsSite | undefined>
}

/** Adds every feature, and the identity service unless the configuration names an external one. */
export async function addService(parts: ServiceParts): Promise<void> {
  const { app, baseUrl, installation, freshness, telemetry, tally, log } = parts
  const { config, clock, keyring, accounts, changeBy } = installation
  const brandMemory = rememberedBrands(freshness, clock)
  const location = new URL(baseUrl).host
  const bundled = `${baseUrl}/identity`
  const thirdParty: IdentityService = config.identity
    ? externalIdentity({
        url: config.identity.url,
        pinnedPublicKey: config.identity.publicKey,
        passwords: config,
        fetch,
        clock,
      })
    : bundledIdentity(keyring, bundled, config)
  const identityLocation = config.identity?.url ?? bundled
  const hasConsole = config.management.enabled && config.management.console
  if (!config.identity) await addIdentity('/identity', parts, hasConsole ? returnUrl(baseUrl) : undefined)

  const accountIdOf =
    (rule: 'auto' | 'known'): TokenDependencies['accountIdOf'] =>
    async ({ subject, username }, source) => {
      // The bundled service declares account ids, unless usernames are configured.
      if (!config.identity && isAccountId(subject)) return subject
      const rules = {
        ...{ accounts, changeBy, clock, rule, username, source },
        bundledIssuer: config.identity ? undefined : bundled,
      }
      return (await accountOfIdentity({ issuer: identityLocation, subject }, rules)).id
    }

  const tokens: TokenDependencies = {
    ...installation,
    tokenSessions: talliedLogins(installation.tokenSessions, tally),
    rememberedLogins: rememberedLogins(freshness, installation),
    uses: parts.tokenUses,
    tally,
    entryOf: newEntry(clock),
    baseUrl,
    location,
    thirdParty,
    identity: { location: identityLocation, key: config.identityCondition, bundled: !config.identity },
    lifetime: { standard: config.tokenLifetime, most: config.tokenMaxLifetime },
    snapIds: (references) => resolvePackages(references, installation),
    unknownPackages: (ids) => unknownPackages(ids, installation),
    accountIdOf: accountIdOf(config.accounts),
    knownAccountIdOf: accountIdOf('known'),
  }
  await app.register(tokenRoutes, tokens)
  await app.register(ubuntuOneRoutes, { ...tokens, developerAccount: config.developerAccount })
  await app.register(gatewayRoutes, tokens)
  await app.register(gatewayRoutes, { ...tokens, prefix: '/publishergw' })
  await addCi(tokens, parts)
  const front: FrontFacts = {
    baseUrl,
    identity: identityLocation,
    account: config.identity ? undefined : `${bundled}/account`,
    toolLogins: toolLogins(thirdParty, config.identity?.url ?? baseUrl),
    deviceServicePath: config.deviceServicePath,
    console: hasConsole ? `${baseUrl}/console` : undefined,
    docs: config.docs ? `${baseUrl}/docs/` : undefined,
  }
  await addManagement(tokens, { ...parts, front })
  await app.register(assertionRoutes, installation)
  const signing = signingQueue(
    { atOnce: signaturesAtOnce(config), waiting: config.signingQueue },
    observeSigning(telemetry),
  )
  telemetry.metrics.watch({ signing: signing.state })
  await app.register(registrationRoutes, {
    ...installation,
    changeBy: changing(installation.database, clock, (on) => ({
      ...storesInChange(on, installation.sealer),
      registrations: notingRegistrations(registrationStore(on), parts.activity),
    })),
    ...{ brandMemory, tally },
    recognised: recognised<UnverifiedAssertion<'model'>>(),
    mostWaiting: config.mostWaitingDevices,
    clones: counting(installation.clones, telemetry),
    signing,
    warn: (message) => log.warn(message),
    deviceServicePath: config.deviceServicePath,
    deviceServices: { baseUrl, allowed: config.deviceServiceUrls },
    forwardedHeaders: config.deviceServiceHeaders,
    fetch,
  })
  await addDeviceSessions(location, brandMemory, parts)
  if (config.docs) docsRoutes(app, parts)
  securityTxt(app, { baseUrl, contacts: config.securityContacts, clock: installation.clock })
  const { id } = await keyring.mintId('token')
  serviceRoutes(app, {
    ...front,
    consoleFrom: config.management.from,
    release: RELEASE,
    tokenPrefix: tokenPrefix(location, id),
    rootPrefixes: rootPrefixes(location),
  })
  log.debug({ location, identityLocation }, 'the tokens API is ready')
}

/** Returns the limit for a process: the workers share the cores, and Node has four threads. */
const signaturesAtOnce = ({ workers }: Pick<Config, 'workers'>): number =>
  Math.min(4, Math.max(1, Math.floor(availableParallelism() / workers)))

async function addDeviceSessions(
  location: string,
  brandMemory: BrandMemory,
  { app, installation, freshness, telemetry, activity, tally }: ServiceParts,
): Promise<void> {
  const { config, clock, database, sealer, deviceSessions } = installation
  await app.register(sessionRoutes, {
    ...installation,
    ...{ brandMemory, tally },
    recognised: recognised<DeviceAssertions>(),
    deviceSessions: notingSessions(countingSeen(deviceSessions, telemetry), activity),
    verified: rememberedDeviceSessions(freshness, installation),
    changeBy: changing(database, clock, (on) => ({
      ...storesInChange(on, sealer),
      deviceSessions: notingSessions(deviceSessionStore(on), activity),
      clones: counting(cloneStore(on), telemetry),
    })),
    unknownSessions: config.unknownSessions,
    sessionLifetime: config.deviceSessionLifetime,
    location,
  })
}

/** Counts evidence. Every kind has a series from the start: Prometheus does not see an increase to a first value. */
function counting(clones: CloneStore, { metrics }: Telemetry): CloneStore {
  for (const kind of CLONE_EVIDENCE_KINDS) metrics.cloneSeen(kind, 0)
  return {
    ...clones,
    async record(sighting) {
      const recorded = await clones.record(sighting)
      if (recorded) metrics.cloneSeen(sighting.kind)
      return recorded
    },
  }
}

/** Counts evidence that is recorded with a session. */
const countingSeen = (sessions: DeviceSessionStore, { metrics }: Telemetry): DeviceSessionStore => ({
  ...sessions,
  async addSeen(session, sighting) {
    const added = await sessions.addSeen(session, sighting)
    if (added?.recorded) metrics.cloneSeen(sighting.kind)
    return added
  },
})

/** Returns the frame of the console's pages for an account, which depends on its roles. */
const frameOf =
  (baseUrl: string, { grants, clock, config }: Installation) =>
  async ({ id, username }: Account): Promise<AccountFrame> => {
    const held = await grants.heldBy(id, clock())
    const permissions = new Set(held.flatMap(({ role }) => ROLES[role].permissions))
    return {
      me: { username, permissions: [...permissions].map((permission) => ({ permission, brands: null })) },
      service: config.management.name ?? new URL(baseUrl).host,
      prefix: pathOf(baseUrl),
    }
  }

/** Adds the identity service below `prefix` (no trailing slash). Browsers return to `consoleReturn`, the console's URL. */
export async function addIdentity(
  prefix: string,
  { app, baseUrl, installation, counters, tally, freshness }: IdentityParts,
  consoleReturn?: string,
): Promise<void> {
  const location = `${baseUrl}${prefix}`
  const { clock, config } = installation
  const tokenSessions = talliedLogins(installation.tokenSessions, tally)
  const { knownServices, returnTo, passwordLogins, dischargeLifetime } = config
  // Counts the attempts of browsers and of programs together.
  const throttle = signInThrottle(installation, counters)
  await app.register(identityRoutes, {
    ...installation,
    ...(freshness && { knownAgents: rememberedAgents(freshness) }),
    ...{ prefix, location, knownServices, returnTo, consoleReturn },
    consoleFrom: config.management.from,
    consoleFrame: consoleReturn === undefined ? undefined : frameOf(baseUrl, installation),
    ...{ counters, tally, throttle, passwordLogins },
  })
  if (consoleReturn !== undefined && noSetupReason(config) === undefined) {
    const { from: consoleFrom } = config.management
    await app.register(setupRoutes, {
      ...installation,
      ...{ baseUrl, location, consoleReturn, consoleFrom, throttle, tally },
    })
  }
  await app.register(passwordRoutes, {
    ...installation,
    ...{ throttle, tally, dischargeLifetime, knownServices },
    enabled: passwordLogins,
    // If it runs alone, the sessions belong to another service.
    sessions: freshness && { ...installation, tokenSessions, entryOf: newEntry(clock) },
  })
}
