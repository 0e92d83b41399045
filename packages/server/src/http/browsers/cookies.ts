/** Names and attributes of browser cookies, for the console and the identity service. */
import type { CookieSerializeOptions } from '@fastify/cookie'

export interface PageCookies {
  readonly options: CookieSerializeOptions
  /** Returns the cookie's name with the prefix that its address requires. */
  fullName(name: string): string
}

/**
 * Returns how to set cookies for the pages at `address` (an absolute URL) and below. Over https their names
 * have a prefix, and browsers accept cookies with this prefix only over https (RFC 6265bis, 4.1.3.1).
 */
export function cookiesFor(address: string): PageCookies {
  const { protocol, pathname } = new URL(address)
  const secure = protocol === 'https:'
  return {
    options: { path: pathname, httpOnly: true, sameSite: 'lax', secure },
    fullName: (name) => (secure ? `__Secure-${name}` : name),
  }
}
