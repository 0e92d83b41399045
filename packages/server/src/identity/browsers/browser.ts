/** A browser, or another program of a person, that is signed in as an account: for its owner, who may end it. */
import { hash } from 'node:crypto'

export interface SignedInBrowser {
  /** It opens nothing: see {@link browserId}. Of a session of management tokens its own. */
  readonly id: string
  /** At the identity service; or in the administration, with a management token, as the console is. */
  readonly kind: 'sign-in' | 'management'
  readonly since: Date
  readonly until: Date
  /** Undefined where that is not recorded. */
  readonly address: string | undefined
  readonly userAgent: string | undefined
  /** Of a session of management tokens. */
  readonly description: string | undefined
  /** Whether it is the one that asks, as far as that is known. */
  readonly current: boolean
}

/** Of a sign-in: tells it from others, and says neither its cookie nor the hash by which that is found. */
export const browserId = (idHash: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from('ratafia browser\0'), idHash]), 'base64url').slice(0, 22)

/** As the management API shows it. Times are RFC 3339 in UTC. */
export const browserRecord = (browser: SignedInBrowser) => ({
  id: browser.id,
  kind: browser.kind,
  since: browser.since.toISOString(),
  until: browser.until.toISOString(),
  address: browser.address ?? null,
  user_agent: browser.userAgent ?? null,
  description: browser.description ?? null,
  current: browser.current,
})
