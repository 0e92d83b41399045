/** `GET` of the location itself: a page for people, and nothing for programs. */
import type { FastifyInstance } from 'fastify'
import { identityFrontPage } from '../web/identity-front-page.ts'
import { prefersPage } from '../web/prefers-page.ts'
import { sendPage } from '../web/send-page.ts'
import { nothingHere } from './error-routes.ts'

export function frontRoutes(app: FastifyInstance, { location }: { readonly location: string }): void {
  const page = identityFrontPage({ account: `${location}/account` })
  app.get('/', { config: { anyQuery: true, limit: 'none' } }, async (request, reply) => {
    reply.header('vary', 'Accept')
    if (!prefersPage(request)) throw nothingHere(request.method)
    return sendPage(reply, 200, page)
  })
}
