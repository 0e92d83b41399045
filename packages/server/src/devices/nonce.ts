/**
 * Nonces and request-ids: two kinds of text that carry their own proof, so that handing one out writes nothing
 * (contract/devices.md, decision 4). What makes each work only once is a table whose key is their hash: see
 * `registration/use-request-id.ts` and `sessions/open-session.ts`.
 */
import { createHash } from 'node:crypto'
import { RequestError } from '../errors.ts'
import type { Stores } from '../stores.ts'

export type NonceKind = 'nonce' | 'request-id'

const NONCE_LIFE_MS = 600_000

/** How long it matters that one was used: twice as long as it is valid, because the clocks of nodes differ. */
export const GUARD_MS = 2 * NONCE_LIFE_MS

/** Each kind is sealed for its own purpose, so that one never passes for the other. */
const PURPOSES: Readonly<Record<NonceKind, string>> = {
  nonce: 'device session nonce',
  'request-id': 'serial request id',
}

const PAYLOAD_BYTES = 8

/** An unguessable text of 60 letters, digits, dashes and underscores, good for 600 seconds. */
export function newNonce(kind: NonceKind, { keyring, clock }: Stores): Promise<string> {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload.writeBigUInt64BE(BigInt(clock().getTime() + NONCE_LIFE_MS))
  return keyring.sealText(PURPOSES[kind], payload)
}

export interface OpenedNonce {
  /** SHA-256, as the tables keep it. */
  readonly hash: Uint8Array
  /** Too old for a new request; one that was accepted before may still be repeated. */
  readonly expired: boolean
}

/** Throws {@link RequestError} `invalid-nonce` for a text that this service did not make, or made as the other kind. */
export async function openNonce(
  kind: NonceKind,
  text: string,
  { keyring, clock }: Stores,
): Promise<OpenedNonce> {
  const payload = await keyring.openText(PURPOSES[kind], text)
  if (payload?.length !== PAYLOAD_BYTES) {
    throw new RequestError('invalid-nonce', `The ${kind} is not one of this service. Ask for a new one.`)
  }
  const expires = Number(Buffer.from(payload).readBigUInt64BE())
  return { hash: createHash('sha256').update(text).digest(), expired: expires <= clock().getTime() }
}

/** The refusal of a nonce that was valid before. */
export function staleNonce(kind: NonceKind, why: 'expired' | 'used'): RequestError {
  const what = why === 'expired' ? 'has expired' : 'was used before'
  return new RequestError('invalid-nonce', `The ${kind} ${what}. Ask for a new one.`)
}
