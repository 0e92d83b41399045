/**
 * A discharge's declaration of how the user signed in, which it contains on request (contract/administration.md, B9):
 * `declared signed-in browser INSTANT`, with the time of the password or code, or `declared signed-in agent NAME`. The
 * contract calls the key `login`, which is already used (`login-mark.ts`).
 */
import { formatTimestamp, parseTimestamp } from '@ratafia/macaroon/conditions'
import type { SignIn } from '../authority.ts'

export const SIGNED_IN_KEY = 'signed-in'

/** Returns the value to declare; empty if it is not known. */
export function signedInText(signIn: SignIn): string {
  if (signIn.kind === 'person') return `browser ${formatTimestamp(signIn.at)}`
  return signIn.kind === 'agent' ? `agent ${signIn.name}` : ''
}

/** Parses the declared value, which sessions also store. Returns `unknown` for any other text. */
export function parseSignedIn(text: string): SignIn {
  const [, kind, rest = ''] = /^(browser|agent) ([!-~]{1,128})$/.exec(text) ?? []
  if (kind === 'agent') return { kind, name: rest }
  const at = kind === 'browser' ? instantIn(rest) : undefined
  return at ? { kind: 'person', at } : { kind: 'unknown' }
}

function instantIn(text: string): Date | undefined {
  try {
    return parseTimestamp(text)
  } catch {
    return undefined
  }
}
