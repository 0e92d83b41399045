/** Sends a page with the headers that keep it safe. */
import type { FastifyReply } from 'fastify'
import { PAGE_HEADERS } from './headers.ts'

interface SendOptions {
  /**
   * The origin of another site to which what a form sends may lead in the end: some browsers look at where a redirect
   * goes, too. Default: nowhere else.
   */
  readonly formsLeadTo?: string | undefined
}

export function sendPage(
  reply: FastifyReply,
  status: number,
  page: string,
  { formsLeadTo }: SendOptions = {},
): FastifyReply {
  reply.status(status).headers(PAGE_HEADERS)
  if (formsLeadTo !== undefined) reply.header(POLICY, policyLeadingTo(formsLeadTo))
  return reply.send(page)
}

const POLICY = 'content-security-policy'

/** `origin` is that of a URL that was checked, so it has no space and no semicolon. */
const policyLeadingTo = (origin: string): string =>
  (PAGE_HEADERS[POLICY] ?? '').replace("form-action 'self'", `form-action 'self' ${origin}`)
