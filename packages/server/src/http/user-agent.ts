/** The name that a client gives itself, shown to users in lists of sessions. It can be anything. */
import type { IncomingHttpHeaders } from 'node:http'

const MOST = 256

/** Returns printable ASCII of limited length; undefined without a user agent. */
export function userAgentIn({ 'user-agent': text = '' }: IncomingHttpHeaders): string | undefined {
  const printable = text
    .slice(0, MOST)
    .replace(/[^ -~]/g, '?')
    .trim()
  return printable === '' ? undefined : printable
}
