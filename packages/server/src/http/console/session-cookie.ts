/**
 * The cookie that signs a browser in to the console. It is a management token, not another kind of session
 * (contract/administration.md, B7).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiesFor, type PageCookies } from '../browsers/cookies.ts'

export interface SessionCookie {
  /** Returns this browser's unverified management token; undefined without one. */
  of(request: FastifyRequest): string | undefined
  /** `until`: when the session expires. */
  set(reply: FastifyReply, token: string, lifetime: { readonly now: Date; readonly until: Date }): void
  clear(reply: FastifyReply): void
}

/** Browsers accept cookies of up to 4,096 bytes with name and attributes, and silently drop longer ones. */
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
