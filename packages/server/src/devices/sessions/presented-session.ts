/**
 * The device session that a request presents, as snapd writes it: `Macaroon root="…"`, in the header
 * `X-Device-Authorization` or, with the v2 calls of a store, `Snap-Device-Authorization` (contract/devices.md 1.3). What
 * comes out is parsed and within the limits, and not verified.
 */
import { decodeBase64, decodeBinary, type Macaroon, MacaroonError } from '@ratafia/macaroon'

/** Undefined: none. `unreadable` holds a sentence for the client that says why it is none. */
export type PresentedSession = { readonly macaroon: Macaroon } | { readonly unreadable: string } | undefined

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Of these headers, in this order; the same session in both is presented once. */
export function presentedSession(headers: Headers, names: readonly string[]): PresentedSession {
  const values = names.flatMap((name) => headers[name] ?? []).map((value) => value.trim())
  const [value, ...others] = new Set(values)
  if (value === undefined) return undefined
  if (others.length > 0) return { unreadable: 'The request presents two device sessions. Send one.' }
  // A device that has none yet may send the header all the same.
  return value === '' ? undefined : read(value)
}

/** The value quoted, in single quotes (a shell's leftover) or bare. Node joins repeated headers with a comma. */
const FORM = /^macaroon\s+root\s*=\s*(?:"([^"\s,]+)"|'([^'\s,]+)'|([^"'\s,=]+={0,2}))$/i

function read(value: string): PresentedSession {
  const [, double, single, bare] = FORM.exec(value) ?? []
  const text = double ?? single ?? bare
  if (text === undefined) {
    return { unreadable: 'The device session is not of the form `Macaroon root="SESSION"`.' }
  }
  try {
    const [macaroon, ...more] = decodeBinary(decodeBase64(text))
    if (more.length > 0) return { unreadable: 'The device session is more than one macaroon.' }
    return { macaroon }
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    return { unreadable: `The device session is malformed: ${error.message}.` }
  }
}
