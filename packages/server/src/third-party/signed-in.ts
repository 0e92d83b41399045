/**
 * What a discharge declares about how somebody signed in, where the service that asks for it wants to know
 * (contract/administration.md, B9): `declared signed-in browser INSTANT`, when they gave the password or the code, or
 * `declared signed-in agent NAME`. The contract calls the key `login`, which is taken (`login-mark.ts`).
 */
import { formatTimestamp, parseTimestamp } from '@ratafia/macaroon/conditions'
import type { SignIn } from '../authority.ts'

export const SIGNED_IN_KEY = 'signed-in'

/** Empty where it is not known. */
export function signedInText(signIn: SignIn): string {
  if (signIn.kind === 'person') return `browser ${formatTimestamp(signIn.at)}`
  return signIn.kind === 'agent' ? `agent ${signIn.name}` : ''
}

/** From the declared value, or from what a session keeps. `unknown` for any other text. */
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
