/**
 * The cookie by which a browser is signed in to the console: a management token, and no second kind of session
 * (contract/administration.md, B7).
 */
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from '../app.ts'

export interface SessionCookie {
  /** The management token of this browser, not verified; undefined without one. */
  of(request: FastifyRequest): string | undefined
  /** `until`: the end of the session. */
  set(reply: FastifyReply, token: string, lifetime: { readonly now: Date; readonly until: Date }): void
  clear(reply: FastifyReply): void
}

const NAME = 'ratafia-console'

/** Browsers keep cookies of 4,096 bytes, with name and attributes. A longer one would be dropped without a word. */
export const MOST_COOKIE_CHARACTERS = 3_800

/** What all cookies of the console have in common. */
export const consoleCookieOptions = (baseUrl: string): CookieSerializeOptions => ({
  path: `${pathOf(baseUrl)}/console`,
  httpOnly: true,
  sameSite: 'lax',
  secure: baseUrl.startsWith('https:'),
})

export function sessionCookie(baseUrl: string): SessionCookie {
  const options = consoleCookieOptions(baseUrl)
  return {
    of: ({ cookies }) => cookies[NAME],
    set: (reply, token, { now, until }) => {
      // A duration, because the browser's clock may differ.
      const maxAge = Math.max(0, Math.floor((until.getTime() - now.getTime()) / 1000))
      reply.setCookie(NAME, token, { ...options, maxAge })
    },
    clear: (reply) => reply.clearCookie(NAME, options),
  }
}
