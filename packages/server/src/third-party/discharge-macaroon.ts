/**
 * The discharge of a login with a password (contract/publisher-login.md, decision 9), in order:
 *
 *   declared userid U · time-before T · time-since G · what its holder added
 *
 * G is when the password was given. It is of version 1, has the caveat's id, and the location that the caveat has.
 */
import type { Macaroon } from '@ratafia/macaroon'
import { addFirstPartyCaveat, mint } from '@ratafia/macaroon'
import {
  formatDeclared,
  formatTimeBefore,
  formatTimestamp,
  parseDeclared,
  parseTimestamp,
  splitCondition,
} from '@ratafia/macaroon/conditions'

/** The position of `time-since` among its caveats. */
export const GIVEN_CAVEAT = 2

export interface NewDischarge {
  /** Of the caveat. */
  readonly rootKey: Uint8Array
  readonly id: Uint8Array
  readonly location: string
  readonly declared: { readonly key: string; readonly value: string }
  readonly expires: Date
  readonly givenAt: Date
  /** Conditions that follow. */
  readonly added?: readonly string[]
}

export function mintDischarge({
  rootKey,
  id,
  location,
  declared,
  expires,
  givenAt,
  added = [],
}: NewDischarge): Macaroon {
  return [
    formatDeclared(declared.key, declared.value),
    formatTimeBefore(expires),
    `time-since ${formatTimestamp(givenAt)}`,
    ...added,
  ].reduce(addFirstPartyCaveat, mint({ rootKey, id, location, version: 1 }))
}

export interface ReadDischarge {
  readonly declared: { readonly key: string; readonly value: string }
  readonly givenAt: Date
  /** What its holder added. */
  readonly added: readonly string[]
}

/**
 * From the conditions of a discharge that verified. Undefined if ours do not come first. Throws `ConditionError` for one
 * that cannot be read.
 */
export function readDischarge(conditions: readonly string[]): ReadDischarge | undefined {
  const [who = '', until = '', given = '', ...added] = conditions
  const [declared, end, start] = [who, until, given].map(splitCondition)
  if (declared?.name !== 'declared' || end?.name !== 'time-before' || start?.name !== 'time-since')
    return undefined
  return { declared: parseDeclared(declared.argument), givenAt: parseTimestamp(start.argument), added }
}
