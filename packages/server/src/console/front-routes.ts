/** `GET /console/`: the first page for signed-in users, and the front page for all others. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Authority } from '../authority.ts'
import { pathOf } from '../http/app.ts'
import { seeOther } from '../http/browsers/see-other.ts'
import { type AskedParts, askedBy, SignedOut } from '../http/console/asked.ts'
import { consoleFrames, sendConsolePage } from '../http/console/frames.ts'
import { type FrontPage, frontPage, toolsPage } from '../web/front-page.ts'
import { sendFrontPage } from '../web/send-page.ts'

interface FrontRoutes<Who extends Authority> extends AskedParts<Who> {
  readonly baseUrl: string
  /** The name of the installation, which pages show next to the name of the software. */
  readonly name: string
  readonly front: () => Promise<FrontPage>
}

const OPTIONS = { config: { limit: 'management', anyQuery: true } } as const

export function consoleFrontRoutes<Who extends Authority>(
  app: FastifyInstance,
  routes: FrontRoutes<Who>,
): void {
  const { baseUrl, front } = routes
  const frames = consoleFrames(routes)
  const sendFront = async (reply: FastifyReply) => sendFrontPage(reply, frontPage(await front()))
  app.get('/console', OPTIONS, (_request, reply) => reply.redirect(`${pathOf(baseUrl)}/console/`, 308))
  app.get('/console/tools', OPTIONS, async (request, reply) => {
    try {
      const asked = await askedBy(request, reply, undefined, routes)
      return sendConsolePage(reply, 200, toolsPage(await front()), frames.of(asked))
    } catch (error) {
      if (!(error instanceof SignedOut)) throw error
      return sendFront(reply)
    }
  })
  app.get('/console/', OPTIONS, async (request, reply) => {
    try {
      const { me } = await askedBy(request, reply, undefined, routes)
      const administers = me.permissions.some(({ permission }) => permission === 'devices:read')
      const begin = administers ? 'overview' : 'tokens'
      return seeOther(reply, `${pathOf(baseUrl)}/console/${begin}`)
    } catch (error) {
      if (!(error instanceof SignedOut)) throw error
      return sendFront(reply)
    }
  })
}
