/** The banner of a demo. */
import type { FastifyInstance } from 'fastify'
import { html } from './html.ts'
import { words } from './words/en.ts'

/** Shows on every page that the service is a demo. Call it before routes are added. */
export function showDemoBanner(app: FastifyInstance): void {
  const { markup } =
    html`<aside class="notice warn" aria-label="${words.frame.demo}">${words.frame.demoText}</aside>`
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isPage =
      typeof payload === 'string' && /^text\/html\b/.test(String(reply.getHeader('content-type')))
    // Each layout has one `main`, and text of users cannot contain a tag.
    done(null, isPage ? payload.replace('<main', () => `${markup}\n<main`) : payload)
  })
}
