/** Sends a page with the headers that keep it safe. */

import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import Negotiator from 'negotiator'
import { type ConsoleContent, consolePage, type Frame } from './console/layout.ts'
import { CONSOLE_HEADERS, FRONT_HEADERS, PAGE_HEADERS } from './headers.ts'
import { html } from './html.ts'
import { type PageContent, page } from './layout.ts'
import { words } from './words/en.ts'

/** The console's frame for the user who is signed in. */
export type AccountFrame = Omit<Frame, 'csrf' | 'notice' | 'problems'>

function accountShell(content: PageContent, frame: AccountFrame | undefined): string {
  if (!frame) return page(content)
  const { title, failed, body } = content
  const shown: ConsoleContent = {
    ...{ title, failed, section: 'me', isNarrow: true },
    trail: [['/console/me', words.me.title]],
    body: html`<div class="card account">${body}</div>`,
  }
  // Only the console's own pages can sign out of it, because they have its CSRF token.
  return consolePage(shown, { ...frame, csrf: undefined })
}

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

/** The first one wins a tie, so a program that accepts both, or sends no preference, gets JSON. */
const TYPES = ['application/json', 'text/html']

export const prefersPage = ({ raw }: { readonly raw: Pick<IncomingMessage, 'headers'> }): boolean =>
  new Negotiator(raw).mediaType(TYPES) === 'text/html'
