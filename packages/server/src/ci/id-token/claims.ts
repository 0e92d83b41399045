/** Finds the values of claims by name or by JSON Pointer (contract/oidc.md, A7). */
import { isObject } from '../../foreign-json.ts'
import type { Claims, Scalar } from './id-token.ts'

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'

/** PostgreSQL cannot store U+0000, and a lone surrogate would come back as a different text. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Checks, broadly, whether the text may be or contain an e-mail address: those are neither stored nor logged (A22). */
export const mayHaveEmail = (text: string): boolean =>
  (text.includes('@') && !/[\s/:]/.test(text)) || EMAIL_IN_TEXT.test(text)

/** Not after a slash: a URL can name a user, and a workflow's ref follows an `@`. */
const EMAIL_IN_TEXT = /(?:^|[\s<>()[\],;"'=]|mailto:)[^\s/:@<>()[\],;"'=]+@[^\s/:@<>()[\],;"'=]+\.[^\s/:@]/i

/** Returns a claim by its name or, with a leading slash, by a JSON Pointer (RFC 6901); undefined if it is absent. */
export function claimOf(claims: Claims, name: string): unknown {
  // An issuer chooses the names of claims, so a property that every object inherits must not count.
  if (!name.startsWith('/')) return Object.hasOwn(claims, name) ? claims[name] : undefined
  return name.slice(1).split('/').reduce(memberOf, claims)
}

/** Returns the name of the claim that the pointer points to; undefined if the pointer goes deeper. */
export function pointedName(pointer: string): string | undefined {
  const [name, ...deeper] = pointer.slice(1).split('/')
  return name === undefined || deeper.length > 0 ? undefined : unescaped(name)
}

function memberOf(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9][0-9]{0,5})$/.test(token) ? value[Number(token)] : undefined
  const name = unescaped(token)
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The order matters: `~01` is `~1`, not a slash. */
const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')
