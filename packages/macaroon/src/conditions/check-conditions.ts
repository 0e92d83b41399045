import { checkDeclared } from './declared.ts'
import { ConditionError, quote } from './errors.ts'
import { parseExtra } from './extra.ts'
import { parseSessionId } from './session-id.ts'
import { type SplitCondition, splitCondition } from './split-condition.ts'
import { checkTimeBefore, checkTimeSince } from './time.ts'

/** Returns when the condition is met, else throws {@link ConditionError}. Gets what follows the name. */
export type Checker<Context> = (argument: string, context: Context, condition: SplitCondition) => void

/** A row for each kind of condition that is known: its name, and how it is checked. */
export type Checkers<Context> = ReadonlyMap<string, Checker<Context>>

export interface StandardContext {
  readonly now: Date
  /** From `declaredValues`, of all conditions of the slice. */
  readonly declared: ReadonlyMap<string, string>
}

/** `time-before`, `declared` and `error`: the conditions every bakery knows. */
export const STANDARD_CHECKERS: Checkers<StandardContext> = new Map<string, Checker<StandardContext>>([
  ['time-before', checkTimeBefore],
  ['declared', checkDeclared],
  ['error', checkError],
])

/**
 * The standard conditions and those of developer tokens: `time-since`, `session-id` and `extra`. Of the last two only
 * the form is checked here: whether the session lives and what `extra` permits depend on the request.
 */
export const TOKEN_CHECKERS: Checkers<StandardContext> = new Map<string, Checker<StandardContext>>([
  ...STANDARD_CHECKERS,
  ['time-since', checkTimeSince],
  ['session-id', (argument) => void parseSessionId(argument)],
  ['extra', (argument) => void parseExtra(argument)],
])

/**
 * Checks that every condition is met; `conditions` come from `verify`, or are their texts. A condition without a row in
 * `checkers` is refused, since it may forbid just what is about to happen. Throws the first {@link ConditionError}:
 * `unknown-condition`, `malformed-condition`, or what a checker throws.
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
      throw new ConditionError(
        'unknown-condition',
        `Nothing here knows the condition ${quote(condition.name)}`,
      )
    }
    checker(condition.argument, context, condition)
  }
}

function checkError(argument: string): void {
  throw new ConditionError('refused', `It carries an error instead of a permission: ${quote(argument)}`)
}
