import { ConditionError } from './errors.ts'

export interface SplitCondition {
  /** The condition's name, which is case-sensitive; `prefix:name` with a namespace prefix. */
  readonly name: string
  /** Everything after the first space; empty if there is no space. */
  readonly argument: string
}

/** Splits a condition at its first space. Throws {@link ConditionError} `malformed-condition` if it has no name. */
export function splitCondition(condition: string): SplitCondition {
  const space = condition.indexOf(' ')
  const name = space < 0 ? condition : condition.slice(0, space)
  if (name === '')
    throw new ConditionError('malformed-condition', 'A condition is empty or begins with a space')
  return { name, argument: space < 0 ? '' : condition.slice(space + 1) }
}
