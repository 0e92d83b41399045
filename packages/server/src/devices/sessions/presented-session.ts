/**
 * The device session that a request presents, as snapd writes it: `Macaroon root="…"` in the header
 * `X-Device-Authorization` or, on the v2 calls of a store, `Snap-Device-Authorization` (contract/devices.md
 * 1.3). `presentedSession` only parses it, within the limits; `readSession` verifies it.
 */
import { decodeBase64, decodeBinary, type Macaroon, MacaroonError, verify } from '@ratafia/macaroon'
import { ConditionError } from '@ratafia/macaroon/conditions'
import type { Keyring } from '../../keyring/keyring.ts'
import { type ClearedSession, clearSession } from './session-macaroon.ts'

/** `unreadable` is a sentence for the client that gives the reason. */
export type PresentedSession = { readonly macaroon: Macaroon } | { readonly unreadable: string }

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads these headers, in this order; the same session in both counts once. Returns undefined if there is none. */
export function presentedSession(headers: Headers, names: readonly string[]): PresentedSession | undefined {
  const values = names.flatMap((name) => headers[name] ?? []).map((value) => value.trim())
  const [value, ...others] = new Set(values)
  if (value === undefined) return undefined
  if (others.length > 0) return { unreadable: 'The request presents two device sessions. Send one.' }
  // A header that is sent must be valid (docs/decisions/0029): snapd without a session sends none.
  return value === '' ? { unreadable: EMPTY } : parse(value)
}

const EMPTY = 'The header is empty. Leave it out if there is no session yet.'

/** In double quotes, in single quotes (a shell's leftover) or bare. Node joins repeated headers with a comma. */
const FORM = /^macaroon\s+root\s*=\s*(?:"([^"\s,]+)"|'([^'\s,]+)'|([^"'\s,=]+={0,2}))$/i

function parse(value: string): PresentedSession {
  const [, double, single, bare] = FORM.exec(value) ?? []
  const text = double ?? single ?? bare
  if (text === undefined) {
    return { unreadable: 'The device session is not of the form `Macaroon root="SESSION"`.' }
  }
  try {
    const [macaroon, ...more] = decodeBinary(decodeBase64(text))
    if (more.length > 0) return { unreadable: 'The device session contains more than one macaroon.' }
    return { macaroon }
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    return { unreadable: `The device session is malformed: ${error.message}.` }
  }
}

/** `unknown` if this service did not issue it, `refused` if it did but the session is not valid. */
export type ReadSession =
  | { readonly cleared: ClearedSession }
  | { readonly unknown: string }
  | { readonly refused: string }

/** Verifies the signature and reads the caveats. Doesn't check the time: the session can be expired. */
export async function readSession(
  presented: PresentedSession,
  keyring: Pick<Keyring, 'resolve'>,
): Promise<ReadSession> {
  if ('unreadable' in presented) return { unknown: presented.unreadable }
  const { macaroon } = presented
  const minted = await keyring.resolve(macaroon.id)
  if (!minted) return { unknown: 'The device session was not issued by this service.' }
  try {
    const conditions = verify([macaroon], minted.rootKey)
    if (minted.kind !== 'device-session') return { refused: 'The macaroon is not a device session.' }
    return { cleared: clearSession(conditions) }
  } catch (error) {
    if (error instanceof MacaroonError) {
      const why = `The device session does not verify: ${error.message}.`
      // Any other problem is in a session of ours that its holder has added something to.
      return error.code === 'bad-signature' ? { unknown: why } : { refused: why }
    }
    if (error instanceof ConditionError) {
      return { refused: `The device session is not valid: ${error.message}.` }
    }
    throw error
  }
}
