/** Sends a page, with everything that keeps it safe. */
import type { FastifyReply } from 'fastify'
import { PAGE_HEADERS } from './headers.ts'

export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.status(status).headers(PAGE_HEADERS).send(page)
}
