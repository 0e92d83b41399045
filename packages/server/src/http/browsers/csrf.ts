/**
 * Proves that a form came from one of our pages in this browser: its token is derived from a cookie, which no
 * other site can read (contract/administration.md, B17). Nothing is stored for it. The console uses the
 * session's cookie; the pages of the identity service have their own ({@link formCookie}).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageCookies } from './cookies.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Returns a token for the forms of the page being sent. On the console, throws `TypeError` without a session. */
    csrf(): string
  }
  interface FastifyRequest {
    /** Whether the token sent with a form was created for this browser. */
    hasCsrf(sent: string | undefined): boolean
  }
}

/** The cookie that a browser's tokens are derived from. */
export interface CsrfCookie {
  /** Returns the cookie; undefined for a browser without it. */
  of(request: FastifyRequest): string | undefined
  /** Creates the cookie for such a browser, where browsers get one before they sign in. */
  create?(request: FastifyRequest, reply: FastifyReply): string
}

/** Adds {@link FastifyReply.csrf} and {@link FastifyRequest.hasCsrf} to `app`, which must have the cookie plugin. */
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

/** Each page gets a different token, so that the size of a compressed page reveals nothing about it (BREACH). */
function csrfOf(cookie: string): string {
  const salt = randomBytes(9).toString('base64url')
  return `${salt}.${macOf(cookie, `form:${salt}`)}`
}

function isCsrfOf(cookie: string, sent = ''): boolean {
  const [salt, mac, ...more] = sent.split('.')
  return more.length === 0 && isMacOf(cookie, `form:${salt}`, mac)
}

/** Authenticates a string that the browser stores for us: only a holder of the cookie can have written it. */
export const macOf = (cookie: string, text: string): string =>
  createHmac('sha256', cookie).update(`ratafia ${text}`).digest('base64url')

export function isMacOf(cookie: string, text: string, sent: string | undefined): boolean {
  const expected = Buffer.from(macOf(cookie, text))
  const given = Buffer.from(sent ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The cookie for the tokens of forms that users fill in before they sign in. It contains nothing about the browser. */
export function formCookie({ options, fullName }: PageCookies): CsrfCookie {
  const name = fullName('ratafia-form')
  return {
    // Anyone could use an empty cookie as the key.
    of: ({ cookies }) => cookies[name] || undefined,
    create: (request, reply) => {
      const cookie = randomBytes(18).toString('base64url')
      reply.setCookie(name, cookie, options)
      // For another form on the same page.
      request.cookies[name] = cookie
      return cookie
    },
  }
}

/** A second defence, after SameSite cookies and the form's token. Returns false if the browser sends no such header. */
export function isFromOtherSite({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
