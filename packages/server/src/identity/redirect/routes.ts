/** The routes that a web site sends a browser to for a login, and where it gets a token for the returned code. */
import type { FastifyInstance } from 'fastify'
import { invalidRequest } from '../../errors.ts'
import { readJsonBodies } from '../../http/bodies/json-body.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { sendJson } from '../discharge/routes.ts'
import { goTo, PAGE } from '../form-routes.ts'
import { parametersOf, required } from '../parameters.ts'
import { startRedirect } from './browser-redirect.ts'
import { redeemCode } from './code.ts'

export function redirectRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  // Use the rest of the path, because the sealed text is longer than a path parameter is allowed to be.
  app.get<{ Params: { '*': string } }>('/login-redirect/*', PAGE, async (request, reply) => {
    const parameters = parametersOf(request)
    const did = await startRedirect(
      {
        redirect: request.params['*'],
        returnTo: required(parameters, 'return_to'),
        state: parameters.get('state'),
      },
      deps,
    )
    return goTo(reply, `../login?did=${did}`)
  })
}

/** A code is a sealed text of a few hundred characters. */
const BODY_LIMIT = 4 * 1024

export function codeRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  readJsonBodies(app, BODY_LIMIT)
  app.post(
    '/discharge-token',
    { config: { limit: 'discharge', anyQuery: true }, bodyLimit: BODY_LIMIT },
    async (request, reply) => sendJson(reply, 200, { token: await redeemCode(codeIn(request.body), deps) }),
  )
}

function codeIn(body: unknown): string {
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as { readonly code?: unknown }
  if (typeof code === 'string' && code.trim() !== '') return code.trim()
  throw invalidRequest('The body has no "code". Send JSON such as {"code": "…"}.')
}
