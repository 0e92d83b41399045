/**
 * The cookie by which a browser is signed in to the console: a management token, and no second kind of session
 * (contract/administration.md, B7).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesFor, type PageCookies } from '../browsers/cookies.ts'

export interface SessionCookie {
  /** The management token of this browser, not verified; undefined without one. */
  of(request: FastifyRequest): string | undefined
  /** `until`: the end of the session. */
  set(reply: FastifyReply, token: string, lifetime: { readonly now: Date; readonly until: Date }): void
  clear(reply: FastifyReply): void
}

/** Browsers keep cookies of 4,096 bytes, with name and attributes. A longer one would be dropped without a word. */
export const MOST_COOKIE_CHARACTERS = 3_800

export const consoleCookies = (baseUrl: string): PageCookies => cookiesFor(`${baseUrl}/console`)

export function sessionCookie(baseUrl: string): SessionCookie {
  const { options, fullName } = consoleCookies(baseUrl)
  const name = fullName('ratafia-console')
  return {
    of: ({ cookies }) => cookies[name],
    set: (reply, token, { now, until }) => {
      // A duration, because the browser's clock may differ.
      const maxAge = Math.max(0, Math.floor((until.getTime() - now.getTime()) / 1000))
      reply.setCookie(name, token, { ...options, maxAge })
    },
    clear: (reply) => reply.clearCookie(name, options),
  }
}
