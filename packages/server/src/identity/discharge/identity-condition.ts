/**
 * The conditions this identity service discharges (contract/bakery.md 2.9). Ratafia may append a summary of the request
 * for a token.
 */
import { formatDeclared, splitCondition } from '@ratafia/macaroon/conditions'
import type { Account } from '../../accounts/account.ts'
import type { SignIn } from '../../authority.ts'
import { unauthorized } from '../../errors.ts'
import { parseSummary } from '../../third-party/request-summary.ts'
import { SIGNED_IN_KEY, signedInText } from '../../third-party/signed-in.ts'

/** What is declared about an account, by key. */
const DECLARED = new Map<string, (login: DeclaredLogin) => string>([
  ['userid', ({ account }) => account.id],
  ['username', ({ account }) => account.username],
  [SIGNED_IN_KEY, ({ signIn }) => signedInText(signIn)],
])

interface DeclaredLogin {
  readonly account: Account
  readonly signIn: SignIn
}

/** The key that each condition asks for. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['is-authenticated-userid', 'userid'],
  ['is-authenticated-user', 'username'],
])

export interface IdentityCondition {
  /** The key to declare. */
  readonly key: string
  /** As sent; it parses. */
  readonly summary: string | undefined
}

/** Throws a 401 for any other condition: what we do not understand may forbid just this. */
export function parseIdentityCondition(condition: string): IdentityCondition {
  const { name, argument } = splitCondition(condition)
  const key = KEYS.get(name)
  if (key === undefined) {
    throw unauthorized(
      `This identity service does not know the condition ${JSON.stringify(name.slice(0, 64))}. ` +
        'It discharges is-authenticated-userid and is-authenticated-user.',
    )
  }
  if (argument === '') return { key, summary: undefined }
  const summary = argument.startsWith('for ') ? argument.slice('for '.length) : undefined
  if (summary === undefined || parseSummary(summary) === undefined) {
    throw unauthorized(`This identity service does not understand what follows ${name}.`)
  }
  return { key, summary }
}

/** What a discharge declares about a login: those of the keys that this service knows. */
export const declarationsOf = (login: DeclaredLogin, keys: readonly string[]): readonly string[] =>
  [...new Set(keys)].flatMap((key) => {
    const value = DECLARED.get(key)
    return value ? [formatDeclared(key, value(login))] : []
  })
