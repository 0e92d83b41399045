import { checkDeclared } from './declared.ts'
import { ConditionError, quote } from './errors.ts'
import { parseExtra } from './extra.ts'
import { parseSessionId } from './session-id.ts'
import { type SplitCondition, splitCondition } from './split-condition.ts'
import { checkTimeBefore, checkTimeSince } from './time.ts'

/** Throws {@link ConditionError} unless the condition is met. The argument is the text after the condition's name. */
export type Checker<Context> = (argument: string, context: Context, condition: SplitCondition) => void

/** The checkers of all known kinds of condition, by name. */
export type Checkers<Context> = ReadonlyMap<string, Checker<Context>>

export interface StandardContext {
  readonly now: Date
  /** The result of `declaredValues` for all conditions of the slice. */
  readonly declared: ReadonlyMap<string, string>
}

/** Checkers for `time-before`, `declared` and `error`, the conditions that every bakery knows. */
export const STANDARD_CHECKERS: Checkers<StandardContext> = new Map<string, Checker<StandardContext>>([
  ['time-before', checkTimeBefore],
  ['declared', checkDeclared],
  ['error', checkError],
])

/**
 * Checkers for the standard conditions and those of developer tokens: `time-since`, `session-id` and `extra`. For the
 * last two they check only the form, because whether the session is valid and what `extra` permits depends on the
 * request.
 */
export const TOKEN_CHECKERS: Checkers<StandardContext> = new Map<string, Checker<StandardContext>>([
  ...STANDARD_CHECKERS,
  ['time-since', checkTimeSince],
  ['session-id', (argument) => void parseSessionId(argument)],
  ['extra', (argument) => void parseExtra(argument)],
])

/**
 * Checks that every condition is met. `conditions` are the result of `verify`, or strings. Refuses a
 * condition without a checker, because it may forbid the very thing that is about to happen. Throws the first
 * {@link ConditionError}: `unknown-condition`, `malformed-condition`, or the error of a checker.
 */
export function checkConditions<Context>(
  conditions: Iterable<string | { readonly condition: string }>,
  checkers: Checkers<Context>,
  context: Context,
): void {
  for (const item of conditions) {
    const condition = splitCondition(typeof item === 'string' ? item : item.condition)
    const checker = checkers.get(condition.name)
    if (checker === undefined) {
      throw new ConditionError('unknown-condition', `Unknown condition ${quote(condition.name)}`)
    }
    checker(condition.argument, context, condition)
  }
}

function checkError(argument: string): void {
  throw new ConditionError(
    'refused',
    `The macaroon contains an error instead of a permission: ${quote(argument)}`,
  )
}
