/**
 * Shows that a form came from a page of ours, in this browser: its token is derived from a cookie, which no other site
 * can read (contract/administration.md, B17). Nothing is stored for it. On the console that is the cookie of the session,
 * on the pages of the identity service one of its own ({@link formCookie}).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageCookies } from './cookies.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Returns a token for the forms of the page that is sent. On the console, throws `TypeError` without a session. */
    csrf(): string
  }
  interface FastifyRequest {
    /** Whether the token that a form sent was made for this browser. */
    hasCsrf(sent: string | undefined): boolean
  }
}

/** The cookie that the tokens of a browser are derived from. */
export interface CsrfCookie {
  /** Undefined for a browser without the cookie. */
  of(request: FastifyRequest): string | undefined
  /** Gives such a browser one, where browsers get it before they sign in. */
  create?(request: FastifyRequest, reply: FastifyReply): string
}

/** Gives the routes of `app` {@link FastifyReply.csrf} and {@link FastifyRequest.hasCsrf}. It has the plugin for cookies. */
export function csrfTokens(app: FastifyInstance, cookie: CsrfCookie): void {
  app.decorateReply('csrf', function (this: FastifyReply): string {
    const secret = cookie.of(this.request) ?? cookie.create?.(this.request, this)
    if (secret === undefined) throw new TypeError('a form is for a browser with a session')
    return csrfOf(secret)
  })
  app.decorateRequest('hasCsrf', function (this: FastifyRequest, sent: string | undefined): boolean {
    const secret = cookie.of(this)
    return secret !== undefined && isCsrfOf(secret, sent)
  })
}

/** Each page gets another token, so that the size of a compressed page reveals nothing about it (BREACH). */
function csrfOf(cookie: string): string {
  const salt = randomBytes(9).toString('base64url')
  return `${salt}.${macOf(cookie, `form:${salt}`)}`
}

function isCsrfOf(cookie: string, sent = ''): boolean {
  const [salt, mac, ...more] = sent.split('.')
  return more.length === 0 && isMacOf(cookie, `form:${salt}`, mac)
}

/** Authenticates a text that the browser keeps for us: only a holder of the cookie can have written it. */
export const macOf = (cookie: string, text: string): string =>
  createHmac('sha256', cookie).update(`ratafia ${text}`).digest('base64url')

export function isMacOf(cookie: string, text: string, sent: string | undefined): boolean {
  const expected = Buffer.from(macOf(cookie, text))
  const given = Buffer.from(sent ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The cookie behind the tokens of forms that people fill in before they sign in. It says nothing about the browser. */
export function formCookie({ options, fullName }: PageCookies): CsrfCookie {
  const name = fullName('ratafia-form')
  return {
    // An empty one is a key that everybody knows.
    of: ({ cookies }) => cookies[name] || undefined,
    create: (request, reply) => {
      const cookie = randomBytes(18).toString('base64url')
      reply.setCookie(name, cookie, options)
      // For another form of the same page.
      request.cookies[name] = cookie
      return cookie
    },
  }
}

/** A second defence, behind SameSite cookies and the form's token. False for a browser that does not say. */
export function isFromOtherSite({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
