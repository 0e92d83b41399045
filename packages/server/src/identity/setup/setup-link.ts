/**
 * The setup link, which creates the first operator in a browser: 32 random bytes that work once, for 30 minutes by the
 * database's clock, and only while there is no account and no grant. There is one at a time.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type DirectAuthority, requireForAll } from '../../authority.ts'
import { stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'

const SECRET_BYTES = 32
/** Short, because the person who creates a link uses it at once. */
const LIFETIME_MS = 30 * 60_000

export interface MadeSetupLink {
  /** The secret to put into the link. */
  readonly secret: string
  readonly expiresAt: Date
}

/**
 * Creates a link; an earlier one stops working. Only the host does this, not the API, because the link makes its holder
 * an operator. Throws `state-conflict` if there is an account or a grant.
 */
export async function makeSetupLink(
  { authority }: { readonly authority: DirectAuthority },
  { changeBy, clock }: Stores,
): Promise<MadeSetupLink> {
  requireForAll(authority, 'roles:manage')
  const secret = randomBytes(SECRET_BYTES)
  const expiresAt = await changeBy(authority.author)(async ({ setupLinks, record }) => {
    const createdAt = clock()
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS)
    // Replace it first: this waits for a transaction that uses the earlier link to create an account.
    await setupLinks.replace({ secretHash: hashOf(secret), createdAt, expiresAt })
    if (await setupLinks.someoneExists()) throw stateConflict(SOMEONE_EXISTS, { status: 'set-up' })
    await record({
      action: 'installation.setup-link',
      subject: '',
      details: { expires: expiresAt.toISOString() },
    })
    return expiresAt
  })
  return { secret: secret.toString('base64url'), expiresAt }
}

const SOMEONE_EXISTS =
  'There is an account already, so there is no setup link. To create another operator, run `ratafia accounts add USERNAME --email EMAIL --name NAME --role operator`. If no operator can sign in, run `ratafia sign-in-link USERNAME`.'

/** Returns the hash of a link's secret that the database stores; undefined for a text that is not a secret. */
export const setupHash = (secret: string): Uint8Array | undefined =>
  /^[\w-]{43}$/.test(secret) ? hashOf(Buffer.from(secret, 'base64url')) : undefined

/** 32 random bytes need no salt. The prefix keeps the hash different from those of other links. */
const hashOf = (secret: Uint8Array): Uint8Array =>
  createHash('sha256').update('set-up:').update(secret).digest()

/** Returns the address of the page. `baseUrl` is the service's, without a trailing slash. */
export const setupAddress = (baseUrl: string, { secret }: Pick<MadeSetupLink, 'secret'>): string =>
  `${baseUrl}/setup/${secret}`
