/**
 * What proves that a form was made for the session that sends it: a text derived from the cookie, which no other site can
 * read (contract/administration.md, B17). Nothing is stored for it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** For the session whose cookie this is. */
export const csrfOf = (cookie: string): string => macOf(cookie, 'form')

export const isCsrfOf = (cookie: string, sent: string | undefined): boolean => isMacOf(cookie, 'form', sent)

/** Of a text that the browser keeps for us, so that nobody else can have written it. */
export const macOf = (cookie: string, text: string): string =>
  createHmac('sha256', cookie).update(`ratafia console ${text}`).digest('base64url')

export function isMacOf(cookie: string, text: string, sent: string | undefined): boolean {
  const expected = Buffer.from(macOf(cookie, text))
  const given = Buffer.from(sent ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
