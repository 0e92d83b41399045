/** `GET /console/`: where somebody who is signed in begins, and what this is for everybody else. */
import type { FastifyInstance } from 'fastify'
import type { Authority } from '../authority.ts'
import { pathOf } from '../http/app.ts'
import { seeOther } from '../http/browsers/see-other.ts'
import { type AskedParts, askedBy, SignedOut } from '../http/console/asked.ts'
import { sendPage } from '../web/send-page.ts'

interface FrontRoutes<Who extends Authority> extends AskedParts<Who> {
  readonly baseUrl: string
  /** The page for everybody. */
  readonly front: () => Promise<string>
}

const OPTIONS = { config: { limit: 'management', anyQuery: true } } as const

export function consoleFrontRoutes<Who extends Authority>(
  app: FastifyInstance,
  routes: FrontRoutes<Who>,
): void {
  const { baseUrl, front } = routes
  app.get('/console', OPTIONS, (_request, reply) => reply.redirect(`${pathOf(baseUrl)}/console/`, 308))
  app.get('/console/tools', OPTIONS, async (_request, reply) => sendPage(reply, 200, await front()))
  app.get('/console/', OPTIONS, async (request, reply) => {
    try {
      const { me } = await askedBy(request, undefined, routes)
      const administers = me.permissions.some(({ permission }) => permission === 'devices:read')
      const begin = administers ? 'overview' : 'tokens'
      return seeOther(reply, `${pathOf(baseUrl)}/console/${begin}`)
    } catch (error) {
      if (!(error instanceof SignedOut)) throw error
      return sendPage(reply, 200, await front())
    }
  })
}
