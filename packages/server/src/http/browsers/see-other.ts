/** The answer that sends a browser on: after a form, or where a page is not at this address. */
import type { FastifyReply } from 'fastify'

/** Kept nowhere: where it leads depends on who asks. No page learns the address before, which may have a secret. */
export const seeOther = (reply: FastifyReply, address: string): FastifyReply =>
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(address, 303)
