/** A browser, or another program of a person, that is signed in to an account. The account's owner can sign it out. */
import { hash } from 'node:crypto'

export interface SignedInBrowser {
  /** The id of a management session, or else {@link browserId}. It is not a credential. */
  readonly id: string
  /** A sign-in at the identity service, or a session of management tokens, which the console also has. */
  readonly kind: 'sign-in' | 'management'
  readonly since: Date
  readonly until: Date
  /** The browser's address; undefined if not recorded. */
  readonly address: string | undefined
  readonly userAgent: string | undefined
  /** The description of a session of management tokens. */
  readonly description: string | undefined
  /** Whether it sent this request, as far as known. */
  readonly current: boolean
}

/** Returns the public id of a sign-in. It reveals neither its cookie nor the stored hash. */
export const browserId = (idHash: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from('ratafia browser\0'), idHash]), 'base64url').slice(0, 22)

/** Returns the record that the management API shows. Times are RFC 3339 in UTC. */
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
