/** Commands that accept one or more names, and act on each whether or not the others fail. */
import { RequestError } from '../errors.ts'
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
 * Answers one name as a command for a single name does, and several with a line, or an item of a list, for
 * each. Throws `RequestError`: the refusal of the only name, or `invalid-request` if one of several was
 * refused.
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
  const [only, ...more] = names
  await (only !== undefined && more.length === 0
    ? actOnOne(only, action, options, context, on)
    : actOnSeveral([...new Set(names)], action, options, context, on))
}

async function actOnOne<On>(
  name: string,
  { consequence, typed, act }: Action<On>,
  options: CommonOptions,
  context: CommandContext,
  on: On,
): Promise<void> {
  if (consequence && typed) {
    await confirmTyped(context, options, async () => ({ told: await consequence(name, on), type: name }))
  } else if (consequence) await confirm(context, options, () => consequence(name, on))
  const { value, told } = await act(name, on)
  print(context, options, value, told)
}

/** Prints the results even when the database fails halfway, because those changes are stored. */
async function actOnSeveral<On>(
  names: readonly string[],
  action: Action<On>,
  options: CommonOptions,
  context: CommandContext,
  on: On,
): Promise<void> {
  const { consequence, typed, act } = action
  if (consequence) {
    const told = async () => {
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
    await (typed
      ? confirmTyped(context, options, async () => ({ told: await told(), type: names.length }))
      : confirm(context, options, told))
  }
  const outcomes: Outcome[] = []
  try {
    for (const name of names) {
      outcomes.push(
        await orRefusal<Outcome>(
          async () => ({ name, result: 'done', answer: await act(name, on) }),
          (message) => ({ name, result: 'failed', message }),
        ),
      )
    }
  } finally {
    tell(outcomes, options, context)
  }
  refuseFailures(outcomes, action)
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

/** Throws `RequestError` `invalid-request` if one of many failed. */
export function refuseFailures(
  outcomes: readonly { readonly result: string }[],
  { thing, done }: Pick<Action<unknown>, 'thing' | 'done'>,
): void {
  const failed = outcomes.filter(({ result }) => result === 'failed').length
  if (failed === 0) return
  throw new RequestError(
    'invalid-request',
    `${failed} of ${counted(outcomes.length, thing)} could not be ${done}. The list shows the reasons.`,
  )
}
