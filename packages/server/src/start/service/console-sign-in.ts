/** Connects signing in to the console with its dependencies. */
import type { FastifyInstance, FastifyReply, InjectOptions } from 'fastify'
import { signInAgain, signInRoutes } from '../../console/sign-in/routes.ts'
import type { SignInAgain } from '../../http/console/console-routes.ts'
import { sessionCookie } from '../../http/console/session-cookie.ts'
import type { Fetch } from '../../identity/discharge/external-identity.ts'
import { endSignIn } from '../../identity/logins/browser-session.ts'
import type { Installation } from '../../installation.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'

interface Parts {
  /** The whole service, which includes the bundled identity service. */
  readonly app: FastifyInstance
  readonly installation: Installation
  readonly management: ManagementDependencies
  /** The name of this installation. */
  readonly name: string
}

export interface ConsoleSignIn {
  /** Registers the routes in a plugin with its own scope. */
  register(console: FastifyInstance): Promise<void>
  /** Keeps the submitted form, and returns where the user signs in again before continuing. */
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
