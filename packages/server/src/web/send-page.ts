/** Sends a page with the headers that keep it safe. */
import type { FastifyReply } from 'fastify'
import { type AccountFrame, accountShell } from './account/shell.ts'
import { CONSOLE_HEADERS, FRONT_HEADERS, PAGE_HEADERS } from './headers.ts'
import type { PageContent } from './layout.ts'

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

/** The front page, whose buttons copy. */
export const sendFrontPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply.status(200).headers(FRONT_HEADERS).send(page)

/** A page of one's own account, in the frame of the console of the same service, if it has one. */
export const sendAccountPage = (
  reply: FastifyReply,
  status: number,
  content: PageContent,
  frame: AccountFrame | undefined,
): FastifyReply =>
  reply
    .status(status)
    .headers(frame ? CONSOLE_HEADERS : PAGE_HEADERS)
    .send(accountShell(content, frame))

const POLICY = 'content-security-policy'

/** `origin` is that of a URL that was checked, so it has no space and no semicolon. */
const policyLeadingTo = (origin: string): string =>
  (PAGE_HEADERS[POLICY] ?? '').replace("form-action 'self'", `form-action 'self' ${origin}`)
