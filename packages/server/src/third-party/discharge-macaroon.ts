/**
 * The discharge of a password login (contract/publisher-login.md, decision 9). Its caveats are, in order:
 *
 *   declared userid U · time-before T · time-since G · the holder's own
 *
 * G is when the password was given. The discharge has version 1, and the id and the location of the caveat.
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
  /** The root key, id and location of the caveat. */
  readonly rootKey: Uint8Array
  readonly id: Uint8Array
  readonly location: string
  readonly declared: { readonly key: string; readonly value: string }
  readonly expires: Date
  readonly givenAt: Date
  /** The conditions that follow. */
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
  /** The conditions that its holder added. */
  readonly added: readonly string[]
}

/**
 * Reads the conditions of a verified discharge. Returns undefined if they do not begin with those of
 * {@link mintDischarge}. Throws `ConditionError` for a condition that cannot be read.
 */
export function readDischarge(conditions: readonly string[]): ReadDischarge | undefined {
  const [who = '', until = '', given = '', ...added] = conditions
  const [declared, end, start] = [who, until, given].map(splitCondition)
  if (declared?.name !== 'declared' || end?.name !== 'time-before' || start?.name !== 'time-since')
    return undefined
  return { declared: parseDeclared(declared.argument), givenAt: parseTimestamp(start.argument), added }
}
