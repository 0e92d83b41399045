/** How the cookies of browsers are named and limited: those of the console and of the identity service alike. */
import type { CookieSerializeOptions } from '@fastify/cookie'

export interface PageCookies {
  readonly options: CookieSerializeOptions
  fullName(name: string): string
}

/**
 * The cookies for the pages at `address` (an absolute URL) and below. Under https browsers take names with the prefix
 * from nobody who speaks http (RFC 6265bis, 4.1.3.1).
 */
export function cookiesFor(address: string): PageCookies {
  const { protocol, pathname } = new URL(address)
  const secure = protocol === 'https:'
  return {
    options: { path: pathname, httpOnly: true, sameSite: 'lax', secure },
    fullName: (name) => (secure ? `__Secure-${name}` : name),
  }
}
