/** Commands that accept one or more names, and act on each whether or not the others fail. */
import { invalidRequest, RequestError } from '../errors.ts'
import type { Installation } from '../installation.ts'
import { confirm, confirmTyped } from './confirm.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal } from './context.ts'
import { counted, print } from './output.ts'
import type { Service } from './service/service.ts'
import { withService } from './service/ways.ts'
import { harmless } from './terminal/harmless.ts'

interface Action<On> {
  /** The noun for a name, such as `account`. */
  readonly thing: string
  /** The participle for the result, such as `disabled`. */
  readonly done: string
  /** The effect on one name, in a sentence to confirm at a terminal. Default: the command does not ask. */
  readonly consequence?: (name: string, on: On) => string | Promise<string>
  /** The user confirms by typing the name or the number of names; a script passes `--yes`. Default: by a yes. */
  readonly typed?: true
  /** Throws `RequestError` if it is refused. */
  readonly act: (name: string, on: On) => Promise<Answer>
}

interface Answer {
  /** The output for programs. */
  readonly value: object | undefined
  /** The output for people. */
  readonly told: string
}

type Outcome = { readonly name: string } & (
  | { readonly result: 'done'; readonly answer: Answer }
  | { readonly result: 'failed'; readonly message: string }
)

/**
 * Answers one name as a command for a single name does, and several with a line, or an item of a list, for each. Throws
 * `RequestError`: the refusal of the only name, or `invalid-request` if one of several was refused.
 */
export const actOnEach = (
  names: readonly string[],
  action: Action<Service>,
  options: CommonOptions,
  context: CommandContext,
): Promise<void> =>
  withService(context, options, 'change', (service) => actOnAll(names, action, options, context, service))

/** Does the same for a command that works only on the database. */
export const actOnEachDirectly = (
  names: readonly string[],
  action: Action<Installation>,
  options: CommonOptions,
  context: CommandContext,
): Promise<void> =>
  context.withInstallation((installation) => actOnAll(names, action, options, context, installation))

async function actOnAll<On>(
  names: readonly string[],
  action: Action<On>,
  options: CommonOptions,
  context: CommandContext,
  on: On,
): Promise<void> {
  const [only] = names.length === 1 ? names : []
  const all = [...new Set(names)]
  const { consequence, typed, act } = action
  if (consequence) {
    const told = () => (only === undefined ? consequences(all, consequence, on) : consequence(only, on))
    await (typed
      ? confirmTyped(context, options, async () => ({ told: await told(), type: only ?? all.length }))
      : confirm(context, options, told))
  }
  if (only !== undefined) {
    const { value, told } = await act(only, on)
    return print(context, options, value, told)
  }
  const outcomes: Outcome[] = []
  try {
    for (const name of all) {
      outcomes.push(
        await orRefusal<Outcome>(
          async () => ({ name, result: 'done', answer: await act(name, on) }),
          (message) => ({ name, result: 'failed', message }),
        ),
      )
    }
  } finally {
    // Prints the results even when the database fails halfway, because those changes are stored.
    tell(outcomes, options, context)
  }
  const failed = outcomes.filter(({ result }) => result === 'failed')
  refuseFailures(failed.length, outcomes.length, action)
}

async function consequences<On>(
  names: readonly string[],
  consequence: NonNullable<Action<On>['consequence']>,
  on: On,
): Promise<string> {
  const lines: string[] = []
  for (const name of names) {
    lines.push(
      await orRefusal(
        () => consequence(name, on),
        (message) => about(name, message),
      ),
    )
  }
  return lines.join('\n')
}

async function orRefusal<T>(work: () => T | Promise<T>, refused: (message: string) => T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof ServiceRefusal)) throw error
    return refused(error.message)
  }
}

const about = (name: string, message: string): string => harmless(`${name}: ${message}`)

function tell(outcomes: readonly Outcome[], options: CommonOptions, context: CommandContext): void {
  const list = outcomes.map(({ name, ...outcome }) =>
    outcome.result === 'done'
      ? { given: name, result: outcome.result, message: null, ...outcome.answer.value }
      : { given: name, ...outcome },
  )
  const lines = outcomes.map((outcome) =>
    outcome.result === 'done' ? outcome.answer.told : about(outcome.name, outcome.message),
  )
  print(context, options, list, lines.join('\n'))
}

/** Throws `RequestError` `invalid-request` if some of all failed. */
export function refuseFailures(
  failed: number,
  all: number,
  { thing, done }: Pick<Action<unknown>, 'thing' | 'done'>,
): void {
  if (failed === 0) return
  throw invalidRequest(
    `${failed} of ${counted(all, thing)} could not be ${done}. The list shows the reasons.`,
  )
}
