/** Redirects a browser, after a form or to where a page is. */
import type { FastifyReply } from 'fastify'

/** Not cached, because the target depends on the caller. No page gets the previous address, which may have a secret. */
export const seeOther = (reply: FastifyReply, address: string): FastifyReply =>
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(address, 303)
