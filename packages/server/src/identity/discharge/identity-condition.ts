/**
 * The conditions this identity service discharges (contract/bakery.md 2.9). Ratafia may append a summary of the request
 * for a token.
 */
import { splitCondition } from '@ratafia/macaroon/conditions'
import type { Account } from '../../accounts/account.ts'
import { unauthorized } from '../../errors.ts'
import { parseSummary } from './request-summary.ts'

interface ConditionKind {
  /** The key to declare. */
  readonly key: string
  readonly declare: (account: Account) => string
}

const KINDS: ReadonlyMap<string, ConditionKind> = new Map([
  ['is-authenticated-userid', { key: 'userid', declare: ({ id }) => id }],
  ['is-authenticated-user', { key: 'username', declare: ({ username }) => username }],
])

export interface IdentityCondition extends ConditionKind {
  /** As sent; it parses. */
  readonly summary: string | undefined
}

/** Throws a 401 for any other condition: what we do not understand may forbid just this. */
export function parseIdentityCondition(condition: string): IdentityCondition {
  const { name, argument } = splitCondition(condition)
  const kind = KINDS.get(name)
  if (!kind) {
    throw unauthorized(
      `This identity service does not know the condition ${JSON.stringify(name.slice(0, 64))}. ` +
        'It discharges is-authenticated-userid and is-authenticated-user.',
    )
  }
  if (argument === '') return { ...kind, summary: undefined }
  const summary = argument.startsWith('for ') ? argument.slice('for '.length) : undefined
  if (summary === undefined || parseSummary(summary) === undefined) {
    throw unauthorized(`This identity service does not understand what follows ${name}.`)
  }
  return { ...kind, summary }
}
