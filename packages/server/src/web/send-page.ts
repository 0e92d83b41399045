/** Sends a page with the headers that keep it safe. */
import type { FastifyReply } from 'fastify'
import { PAGE_HEADERS } from './headers.ts'

export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.status(status).headers(PAGE_HEADERS).send(page)
}
