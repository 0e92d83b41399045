/** Asks a person at a terminal before a command does what they could regret (contract/administration.md, D7). */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { Declined, type Streams, UsageError } from './context.ts'

export interface YesOption {
  readonly yes?: boolean
}

interface ToStreams {
  readonly streams: Streams
}

/** Adds `--yes` to a command that calls {@link confirm}. */
export const withYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation, which is asked for at a terminal only')

/** The same for one that calls {@link confirmTyped}. */
export const withNeededYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation; a script needs it')

/**
 * Returns once the person has agreed, and at once with `--yes` or if standard input is no terminal. `consequence` says
 * in whole sentences what will happen and to how many; a function is only called if somebody is asked. Throws
 * {@link Declined}; any answer but yes is a no.
 */
export async function confirm(
  { streams }: ToStreams,
  { yes }: YesOption,
  consequence: string | (() => string | Promise<string>),
): Promise<void> {
  if (yes || !streams.stdin.isTTY) return
  const told = typeof consequence === 'string' ? consequence : await consequence()
  const answer = await ask(streams, told, 'Go on? [y/N] ')
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Declined()
}

/** What happens, and what is to be typed by whoever wants it: the name or serial of what is meant, or how many. */
export interface Consequence {
  readonly told: string
  readonly type: string | number
}

/**
 * For what cannot be undone, or stops others from working: returns once the person has typed what they mean, or with
 * `--yes`. Throws {@link Declined}, and {@link UsageError} where nobody can be asked.
 */
export async function confirmTyped(
  { streams }: ToStreams,
  { yes }: YesOption,
  consequence: () => Consequence | Promise<Consequence>,
): Promise<void> {
  requireYes({ streams }, { yes })
  if (yes) return
  const { told, type } = await consequence()
  const answer = await ask(streams, told, `Type ${type} to go on: `)
  if (answer.trim() !== String(type)) throw new Declined()
}

/** Before what {@link confirmTyped} would come too late for. Throws {@link UsageError} where nobody can be asked. */
export function requireYes({ streams }: ToStreams, { yes }: { readonly yes?: boolean | undefined }): void {
  if (yes || streams.stdin.isTTY) return
  throw new UsageError('Nobody can be asked here whether this is meant: give --yes if it is.')
}

/** Throws {@link Declined} for Ctrl-C, or the end of input. */
async function ask({ stdin, stderr }: Streams, told: string, question: string): Promise<string> {
  stderr.write(`${told}\n`)
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  try {
    return await lines.question(question)
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    // It leaves the cursor behind the question.
    stderr.write('\n')
    throw new Declined()
  } finally {
    lines.close()
  }
}
