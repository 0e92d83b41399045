/**
 * The root macaroon of a login and the token it is exchanged for: their caveats, in order. Nothing is stored for a
 * root: what exchange needs to know travels in it, authenticated.
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

/** A root or a token is minted with this many caveats; its holder added the rest. */
export const OWN_CAVEATS = 5
/** The position of the root's third-party caveat and of the token's `declared` among them. */
export const IDENTITY_CAVEAT = 3

/** Of a third-party caveat. */
const NONCE_BYTES = 24

/** What the identity service is asked to declare about a person. */
export type IdentityKey = 'userid' | 'username'

/** The identity service that roots are minted for, and what it is asked to declare. */
export interface IdentitySource {
  /** Without a trailing slash. */
  readonly location: string
  readonly key: IdentityKey
  /** Whether it is the one of this installation. */
  readonly bundled: boolean
}

/** What {@link IdentitySource.key} is for an account of this installation. */
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
  /** Of `extraCaveat`. */
  readonly extra: string
  /** The format; the identifier of version 1 is text. Default 2. */
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
 * The payload of a root's identifier: the identity service it was minted for (a caveat's location is not signed, and
 * the operator may switch services meanwhile) and the description, which is in no caveat.
 */
export function rootPayload(identity: IdentityName, description: string | undefined): Uint8Array {
  const text = description === '' ? EMPTY_DESCRIPTION : Buffer.from(description ?? '', 'utf8')
  return Buffer.concat([identityTag(identity), text])
}

/** No bytes mean no description. This byte is in no UTF-8. */
const EMPTY_DESCRIPTION = Buffer.of(0xff)

/** Only for a root that verified. */
export function readRootPayload(
  payload: Uint8Array,
  identity: IdentityName,
): { readonly description: string | undefined } | 'other-identity-service' {
  if (!identityTag(identity).equals(payload.subarray(0, TAG_BYTES))) return 'other-identity-service'
  const text = Buffer.from(payload.subarray(TAG_BYTES))
  if (text.equals(EMPTY_DESCRIPTION)) return { description: '' }
  return { description: text.length === 0 ? undefined : text.toString('utf8') }
}

/** A service has one identity service at a time. */
let newestTag = { name: '', tag: Buffer.alloc(0) }

function identityTag({ location, key }: IdentityName): Buffer {
  const name = `${key} ${location}`
  if (newestTag.name !== name) {
    newestTag = { name, tag: hash('sha256', name, 'buffer').subarray(0, TAG_BYTES) }
  }
  return newestTag.tag
}
