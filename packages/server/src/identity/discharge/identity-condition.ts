/**
 * The conditions this identity service discharges (contract/bakery.md 2.9), with what ours may append: the summary of
 * what a token is asked for.
 */
import { splitCondition } from '@ratafia/macaroon/conditions'
import type { Account } from '../../accounts/account.ts'
import { IdentityError } from '../errors.ts'
import { parseSummary } from './request-summary.ts'

interface ConditionKind {
  /** The key that is declared. */
  readonly key: string
  readonly declare: (account: Account) => string
}

const KINDS: ReadonlyMap<string, ConditionKind> = new Map([
  ['is-authenticated-userid', { key: 'userid', declare: ({ id }) => id }],
  ['is-authenticated-user', { key: 'username', declare: ({ username }) => username }],
])

export interface IdentityCondition extends ConditionKind {
  /** As it was sent; it parses. */
  readonly summary: string | undefined
}

/** Throws {@link IdentityError} `permission denied`: what is not understood might forbid just this. */
export function parseIdentityCondition(condition: string): IdentityCondition {
  const { name, argument } = splitCondition(condition)
  const kind = KINDS.get(name)
  if (!kind) {
    throw new IdentityError(
      'permission denied',
      `This identity service does not know the condition ${JSON.stringify(name.slice(0, 64))}. ` +
        'It discharges is-authenticated-userid and is-authenticated-user.',
    )
  }
  if (argument === '') return { ...kind, summary: undefined }
  const summary = argument.startsWith('for ') ? argument.slice('for '.length) : undefined
  if (summary === undefined || parseSummary(summary) === undefined) {
    throw new IdentityError(
      'permission denied',
      `This identity service does not understand what follows ${name}.`,
    )
  }
  return { ...kind, summary }
}
