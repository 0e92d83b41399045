/** Connects the console with its dependencies. */
import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, InjectOptions } from 'fastify'
import { addOwnRule, lookUpOwnIds } from '../../ci/rules/making/add-own-rule.ts'
import { requireJustSignedIn } from '../../ci/rules/making/rule-maker.ts'
import { consoleFrontRoutes } from '../../console/front-routes.ts'
import type { OwnCredentials, OwnPublishers } from '../../console/own-credentials.ts'
import { consolePages } from '../../console/routes.ts'
import { signInAgain, signInRoutes } from '../../console/sign-in/routes.ts'
import { csrfTokens } from '../../http/browsers/csrf.ts'
import { consoleRoutes, type SignInAgain } from '../../http/console/console-routes.ts'
import { sessionCookie } from '../../http/console/session-cookie.ts'
import { type FrontFacts, frontPageOf } from '../../http/description/service-routes.ts'
import { onlyFrom } from '../../http/limits/only-from.ts'
import type { CallManagement } from '../../http/management/in-process.ts'
import type { StreamPlaces } from '../../http/management/streamed.ts'
import type { Fetch } from '../../identity/discharge/external-identity.ts'
import { endSignIn } from '../../identity/logins/browser-session.ts'
import type { Installation } from '../../installation.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'
import { addOwnAgent, type OwnAgentDeps } from '../../management/own/add-own-agent.ts'
import { makeOwnToken, type OwnTokenDeps } from '../../management/own/make-own-token.ts'
import { answerOnce } from '../../management/repeats/answer-once.ts'
import { browserAuthority } from '../../management/routes.ts'
import type { ManagerAuthority } from '../../management/tokens/manager.ts'
import { bundledIdentity } from '../../third-party/identity-service.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'
import { toolLogins } from './tool-logins.ts'

interface Parts {
  readonly app: FastifyInstance
  readonly installation: Installation
  readonly management: ManagementDependencies
  /** Limits the requests of an account. */
  readonly limit: (accountId: string) => Promise<void>
  readonly call: CallManagement<ManagerAuthority>
  readonly places: StreamPlaces
  readonly front: FrontFacts
}

export async function addConsole(tokens: TokenDependencies, parts: Parts): Promise<void> {
  const { app, installation, management, limit, call, places, front } = parts
  const { baseUrl } = tokens
  const { from, name = tokens.location } = installation.config.management
  const { clock } = installation
  const signIn = signInOf(parts, name)
  await app.register(async (console) => {
    if (from) onlyFrom(console, from)
    await console.register(fastifyCookie)
    const cookie = sessionCookie(baseUrl)
    csrfTokens(console, cookie)
    const http = {
      ...{ baseUrl, name, clock, call, places, cookie },
      authenticate: browserAuthority(management, limit),
      answerOnce: (asked: Parameters<typeof answerOnce>[0], work: Parameters<typeof answerOnce>[1]) =>
        answerOnce(asked, work, installation),
      signInAgain: signIn.again,
    }
    await signIn.register(console)
    const pages = consoleRoutes<ManagerAuthority>(console, http)
    consoleFrontRoutes(console, { ...http, front: () => frontPageOf(front) })
    consolePages(pages, {
      own: ownOf(tokens, installation, front),
      publishers: ownPublishers(tokens, installation),
    })
  })
}

function ownOf(
  tokens: TokenDependencies,
  installation: Installation,
  { account, identity }: FrontFacts,
): OwnCredentials {
  const credentials = ownCredentials(tokens, installation)
  return {
    makeToken: (input) => makeOwnToken(input, credentials),
    addAgent: (input) => addOwnAgent(input, credentials),
    ...{ baseUrl: tokens.baseUrl, mostLifetime: tokens.lifetime.most, account, identity },
  }
}

/** The dependencies of operations that only the console performs for a user's own account. */
type Own = Pick<
  TokenDependencies,
  'baseUrl' | 'entryOf' | 'identity' | 'lifetime' | 'location' | 'snapIds' | 'thirdParty'
>

/** Returns the dependencies of `makeOwnToken` and `addOwnAgent`. */
export function ownCredentials(tokens: Own, installation: Installation): OwnTokenDeps & OwnAgentDeps {
  const { config, keyring } = installation
  const signOn = toolLogins(tokens.thirdParty, config.identity?.url ?? tokens.baseUrl)
  return {
    ...installation,
    ...tokens,
    ownThirdParty: bundledIdentity(keyring, tokens.identity.location, config),
    addresses: async () => ({ baseUrl: tokens.baseUrl, signOn: (await signOn()).signOn }),
    identityLocation: tokens.identity.bundled ? tokens.identity.location : undefined,
  }
}

/** Connects the operations on a user's own rules that only the console performs. */
function ownPublishers(
  { baseUrl }: Pick<TokenDependencies, 'baseUrl'>,
  installation: Installation,
): OwnPublishers {
  const { jobMaxLifetime } = installation.config
  return {
    requireJustSignedIn,
    add: (input) => addOwnRule(input, { ...installation, jobMaxLifetime }),
    lookUp: (input) => lookUpOwnIds(input, installation),
    ...{ baseUrl, mostLifetime: jobMaxLifetime / 1000 },
  }
}

/** Connects signing in. `app` is the whole service, which includes the bundled identity service. */
function signInOf({ app, installation, management }: Parts, name: string) {
  const { baseUrl, identity } = management
  const http = {
    ...installation,
    ...{ management, baseUrl, name },
    cookie: sessionCookie(baseUrl),
    fetchFor: identity.bundled ? inProcess(app) : () => fetch,
    identity: {
      location: identity.location,
      endSignIn: identity.bundled
        ? (signIn: Parameters<typeof endSignIn>[0]) => endSignIn(signIn, installation)
        : undefined,
    },
  }
  return {
    /** Registers the routes in a plugin with its own scope. */
    register: async (console: FastifyInstance) => void (await console.register(signInRoutes, http)),
    /** Keeps the submitted form, and returns where the user signs in again before continuing. */
    again: (late: SignInAgain, reply: FastifyReply) => signInAgain(late, reply, http),
  }
}

/** Calls a route of this process, as the browser at this address would. */
const inProcess =
  (app: FastifyInstance) =>
  (remoteAddress: string): Fetch =>
  async (address, { method = 'GET', headers = {}, body }) => {
    const { pathname, search } = new URL(address)
    const answer = await app.inject({
      // The casts are safe: our own client sends a method name, plain headers and a string.
      method: method as NonNullable<InjectOptions['method']>,
      headers: headers as Record<string, string>,
      payload: body as string,
      ...{ url: `${pathname}${search}`, remoteAddress },
    })
    return new Response(new Uint8Array(answer.rawPayload), {
      status: answer.statusCode,
      headers: { 'content-type': String(answer.headers['content-type'] ?? '') },
    })
  }
