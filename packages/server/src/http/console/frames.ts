/** The frame around each console page, with the notice about the previous form. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../web/console/form.ts'
import { type ConsoleContent, consolePage, type Frame } from '../../web/console/layout.ts'
import { CONSOLE_HEADERS } from '../../web/headers.ts'
import { pathOf } from '../app.ts'
import { isMacOf, macOf } from '../browsers/csrf.ts'
import type { ConsoleAsked } from './asked.ts'
import { consoleCookies } from './session-cookie.ts'

export interface Frames {
  /** Returns the frame for a browser that is not signed in. */
  without(): Frame
  of(asked: Framed, problems?: readonly Problem[]): Frame
  /** Returns the frame with the notice that was kept for this page. */
  withNotice(asked: Framed, request: FastifyRequest, reply: FastifyReply): Frame
  /** Keeps a notice for the browser's next page. */
  keepNotice(reply: FastifyReply, notice: string, token: string): void
}

type Framed = Pick<ConsoleAsked, 'me' | 'form' | 'token'>

const MOST_CHARACTERS = 500

/** `name` is shown next to the name of the software. */
export function consoleFrames({
  baseUrl,
  name,
}: {
  readonly baseUrl: string
  readonly name: string
}): Frames {
  const { options, fullName } = consoleCookies(baseUrl)
  const noticeCookie = fullName('ratafia-console-notice')
  const common = { service: name, prefix: pathOf(baseUrl) }
  const of: Frames['of'] = ({ me, form }, problems = []) => ({ ...common, me, csrf: form.csrf, problems })
  return {
    without: () => ({ ...common, me: undefined, csrf: '' }),
    of,
    withNotice: (asked, request, reply) => {
      const kept = request.cookies[noticeCookie]
      if (kept === undefined) return of(asked)
      reply.clearCookie(noticeCookie, options)
      return { ...of(asked), notice: noticeIn(kept, asked.token) }
    },
    keepNotice: (reply, notice, token) => {
      const text = Buffer.from(notice.slice(0, MOST_CHARACTERS)).toString('base64url')
      reply.setCookie(noticeCookie, `${text}.${macOf(token, `notice:${text}`)}`, { ...options, maxAge: 60 })
    },
  }
}

/** Returns the notice if we wrote it: others who can set cookies for this host cannot put text on a page. */
function noticeIn(kept: string, token: string): string | undefined {
  const [text = '', mac] = kept.split('.')
  return isMacOf(token, `notice:${text}`, mac) ? Buffer.from(text, 'base64url').toString('utf8') : undefined
}

export const sendConsolePage = (
  reply: FastifyReply,
  status: number,
  content: ConsoleContent,
  frame: Frame,
): FastifyReply => sendText(reply, status, consolePage(content, frame))

/** Sends a page that was rendered earlier. */
export const sendText = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  reply.status(status).headers(CONSOLE_HEADERS).send(page)
