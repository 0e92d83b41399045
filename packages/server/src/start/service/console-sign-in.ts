/** Connects signing in to the console with what it needs. */
import type { FastifyInstance, FastifyReply, InjectOptions } from 'fastify'
import { signInAgain, signInRoutes } from '../../console/sign-in/routes.ts'
import type { SignInAgain } from '../../http/console/console-routes.ts'
import { sessionCookie } from '../../http/console/session-cookie.ts'
import type { Fetch } from '../../identity/discharge/external-identity.ts'
import { endSignIn } from '../../identity/logins/browser-session.ts'
import type { Installation } from '../../installation.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'

interface Parts {
  /** The whole service: it answers for the bundled identity service. */
  readonly app: FastifyInstance
  readonly installation: Installation
  readonly management: ManagementDependencies
  /** What people call this installation. */
  readonly name: string
}

export interface ConsoleSignIn {
  /** Registers the routes; their plugin is a scope of its own. */
  register(console: FastifyInstance): Promise<void>
  /** Where somebody signs in again for what they asked, and what they sent is kept. */
  again(late: SignInAgain, reply: FastifyReply): Promise<string>
}

export function consoleSignIn({ app, installation, management, name }: Parts): ConsoleSignIn {
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
    register: async (console) => void (await console.register(signInRoutes, http)),
    again: (late, reply) => signInAgain(late, reply, http),
  }
}

/** Asks a route of this very process, as the browser at this address would. */
const inProcess =
  (app: FastifyInstance) =>
  (remoteAddress: string): Fetch =>
  async (address, { method = 'GET', headers = {}, body }) => {
    const { pathname, search } = new URL(address)
    const answer = await app.inject({
      // Our own client sends these: a name of a method, plain headers, a text.
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
