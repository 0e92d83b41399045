/** The cookie behind the tokens of forms that people fill in before they sign in. It says nothing about the browser. */
import { randomBytes } from 'node:crypto'
import type { PageCookies } from './cookies.ts'
import type { CsrfCookie } from './csrf.ts'

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
