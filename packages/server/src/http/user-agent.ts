/** What a client calls itself, for people who look at what is signed in: it may say anything. */
import type { IncomingHttpHeaders } from 'node:http'

const MOST = 256

/** Printable ASCII, and not too much of it. Undefined if it does not say. */
export function userAgentIn({ 'user-agent': text = '' }: IncomingHttpHeaders): string | undefined {
  const printable = text
    .slice(0, MOST)
    .replace(/[^ -~]/g, '?')
    .trim()
  return printable === '' ? undefined : printable
}
