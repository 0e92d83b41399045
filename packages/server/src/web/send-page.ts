/** Sends a page with the headers that keep it safe. */
import type { FastifyReply } from 'fastify'
import { type AccountFrame, accountShell } from './account/shell.ts'
import { CONSOLE_HEADERS, FRONT_HEADERS, PAGE_HEADERS } from './headers.ts'
import type { PageContent } from './layout.ts'

interface SendOptions {
  /**
   * The origin of another site that a form can finally lead to, because some browsers also check where a
   * redirect leads. Default: no other site.
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

/** Sends the front page, whose script copies commands. */
export const sendFrontPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply.status(200).headers(FRONT_HEADERS).send(page)

/** Sends a page of the user's own account, in the frame of the same service's console if it has one. */
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

/** `origin` comes from a URL that was checked, so it contains neither a space nor a semicolon. */
const policyLeadingTo = (origin: string): string =>
  (PAGE_HEADERS[POLICY] ?? '').replace("form-action 'self'", `form-action 'self' ${origin}`)
