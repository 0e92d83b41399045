/**
 * Nonces and request-ids are two kinds of text that carry their own proof, so that issuing one writes nothing
 * (contract/devices.md, decision 4). Tables with their hashes as keys ensure single use: see
 * `registration/use-request-id.ts` and `sessions/open-session.ts`.
 */
import { createHash } from 'node:crypto'
import { RequestError } from '../errors.ts'
import type { Stores } from '../stores.ts'

export type NonceKind = 'nonce' | 'request-id'

const NONCE_LIFE_MS = 600_000

/** How long to remember a used one: twice its validity, because the clocks of nodes differ. */
export const GUARD_MS = 2 * NONCE_LIFE_MS

/** Each kind is sealed for its own purpose, so that neither passes for the other. */
const PURPOSES: Readonly<Record<NonceKind, string>> = {
  nonce: 'device session nonce',
  'request-id': 'serial request id',
}

const PAYLOAD_BYTES = 8

/** Returns an unguessable text of 60 letters, digits, dashes and underscores, valid for 600 seconds. */
export function newNonce(kind: NonceKind, { keyring, clock }: Stores): Promise<string> {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload.writeBigUInt64BE(BigInt(clock().getTime() + NONCE_LIFE_MS))
  return keyring.sealText(PURPOSES[kind], payload)
}

export interface OpenedNonce {
  /** The SHA-256 that the tables keep. */
  readonly hash: Uint8Array
  /** True if it is too old for a new request. A request that was accepted earlier can still be repeated. */
  readonly expired: boolean
}

/** Throws `invalid-nonce` for a string that this service didn't issue, or issued as the other kind. */
export async function openNonce(
  kind: NonceKind,
  text: string,
  { keyring, clock }: Stores,
): Promise<OpenedNonce> {
  const payload = await keyring.openText(PURPOSES[kind], text)
  if (payload?.length !== PAYLOAD_BYTES) {
    throw new RequestError('invalid-nonce', `This service did not issue the ${kind}. Request a new one.`)
  }
  const expires = Number(Buffer.from(payload).readBigUInt64BE())
  return { hash: createHash('sha256').update(text).digest(), expired: expires <= clock().getTime() }
}

/** Returns the error for a nonce that was once valid. */
export function staleNonce(kind: NonceKind, why: 'expired' | 'used'): RequestError {
  const what = why === 'expired' ? 'has expired' : 'was already used'
  return new RequestError('invalid-nonce', `The ${kind} ${what}. Request a new one.`)
}
