/**
 * The caveats, in order, of the root macaroon of a login and of the token it is exchanged for. Nothing is
 * stored for a root: it carries everything that the exchange needs, authenticated.
 *
 *   root   time-before T · time-since T0 · session-id S · (third party: the identity service) · extra {…}
 *   token  time-before T · time-since T1 · session-id S · declared userid U                   · extra {…}
 */
import { hash } from 'node:crypto'
import type { SessionId } from '@ratafia/api'
import { addFirstPartyCaveat, addThirdPartyCaveat, type Macaroon, mint } from '@ratafia/macaroon'
import { formatTimestamp } from '@ratafia/macaroon/conditions'
import { textOfId } from '../keyring/macaroon-id.ts'
import { randomId } from '../random.ts'

/** The number of caveats that a root or token is minted with. Any further caveats are from its holder. */
export const OWN_CAVEATS = 5
/** The position among them of the root's third-party caveat, and of the token's `declared`. */
export const IDENTITY_CAVEAT = 3

/** The size of a third-party caveat's nonce. */
const NONCE_BYTES = 24

/** The property of a person that the identity service is asked to declare. */
export type IdentityKey = 'userid' | 'username'

/** The identity service that roots are minted for, and the property it is asked to declare. */
export interface IdentitySource {
  /** Its URL, without a trailing slash. */
  readonly location: string
  readonly key: IdentityKey
  /** Whether it is part of this installation. */
  readonly bundled: boolean
}

/** Returns the value of {@link IdentitySource.key} for an account of this installation. */
export const subjectOf = (
  { id, username }: { readonly id: string; readonly username: string },
  { key }: Pick<IdentitySource, 'key'>,
): string => (key === 'userid' ? id : username)

interface Minted {
  readonly id: Uint8Array
  readonly rootKey: Uint8Array
  /** The host of the base URL. */
  readonly location: string
  readonly expires: Date
  readonly since: Date
  readonly sessionId: SessionId
  /** The caveat that `extraCaveat` returned. */
  readonly extra: string
  /** The macaroon format. In version 1 the identifier is text. Default: 2. */
  readonly version?: 1 | 2
}

/** `caveatRootKey` and the condition are sealed in `caveatId` for the identity service at `location`. */
interface SealedIdentityCaveat {
  readonly location: string
  readonly caveatId: Uint8Array
  readonly caveatRootKey: Uint8Array
}

export function mintRoot(minted: Minted, identity: SealedIdentityCaveat): Macaroon {
  const root = addThirdPartyCaveat(mintWithSession(minted), {
    rootKey: identity.caveatRootKey,
    id: identity.caveatId,
    location: identity.location,
    nonce: randomId(NONCE_BYTES),
  })
  return addFirstPartyCaveat(root, minted.extra)
}

export function mintToken(minted: Minted, declared: { key: IdentityKey; value: string }): Macaroon {
  const token = addFirstPartyCaveat(mintWithSession(minted), `declared ${declared.key} ${declared.value}`)
  return addFirstPartyCaveat(token, minted.extra)
}

function mintWithSession({ rootKey, location, expires, since, sessionId, ...minted }: Minted): Macaroon {
  const { version = 2 } = minted
  const id = version === 1 ? textOfId(minted.id) : minted.id
  return [
    `time-before ${formatTimestamp(expires)}`,
    `time-since ${formatTimestamp(since)}`,
    `session-id ${sessionId}`,
  ].reduce(addFirstPartyCaveat, mint({ rootKey, id, location, version }))
}

type IdentityName = Pick<IdentitySource, 'location' | 'key'>

const TAG_BYTES = 8

/**
 * Returns the payload of a root's identifier. It names the identity service that the root was minted for,
 * because a caveat's location is not signed and the operator may have switched services since. It also
 * contains the description, which is in no caveat.
 */
export function rootPayload(identity: IdentityName, description: string | undefined): Uint8Array {
  const text = description === '' ? EMPTY_DESCRIPTION : Buffer.from(description ?? '', 'utf8')
  return Buffer.concat([identityTag(identity), text])
}

/**
 * Stands for an empty description, because without any bytes there is no description. UTF-8 never contains this byte.
 */
const EMPTY_DESCRIPTION = Buffer.of(0xff)

/** Reads the payload of a root, which must have verified. */
export function readRootPayload(
  payload: Uint8Array,
  identity: IdentityName,
): { readonly description: string | undefined } | 'other-identity-service' {
  if (!identityTag(identity).equals(payload.subarray(0, TAG_BYTES))) return 'other-identity-service'
  const text = Buffer.from(payload.subarray(TAG_BYTES))
  if (text.equals(EMPTY_DESCRIPTION)) return { description: '' }
  return { description: text.length === 0 ? undefined : text.toString('utf8') }
}

/** One tag is remembered, because a service has one identity service at a time. */
let newestTag = { name: '', tag: Buffer.alloc(0) }

function identityTag({ location, key }: IdentityName): Buffer {
  const name = `${key} ${location}`
  if (newestTag.name !== name) {
    newestTag = { name, tag: hash('sha256', name, 'buffer').subarray(0, TAG_BYTES) }
  }
  return newestTag.tag
}
