/** Asks at a terminal before a command does what the user could regret (contract/administration.md, D7). */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type CommonOptions, Declined, type Streams, type ToStreams, UsageError } from './context.ts'
import { typed } from './typed.ts'

/** Adds `--yes` to a command that calls {@link confirm}. */
export const withYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation; without a terminal, the command never asks')

/** Adds `--yes` to a command that calls {@link confirmTyped}. */
export const withNeededYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation; required in scripts')

/**
 * Returns once the user has confirmed, or immediately with `--yes` or if standard input is not a terminal.
 * `consequence` explains in whole sentences what will happen, and to how many; a function is only called if
 * the command asks. Throws {@link Declined} for any answer but yes.
 */
export async function confirm(
  { streams }: ToStreams,
  { yes }: CommonOptions,
  consequence: string | (() => string | Promise<string>),
): Promise<void> {
  if (yes || !streams.stdin.isTTY) return
  const told = typeof consequence === 'string' ? consequence : await consequence()
  const answer = await ask(streams, told, 'Continue? [y/N] ')
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Declined()
}

export interface Consequence {
  /** Explains what will happen. */
  readonly told: string
  /** The text to type as confirmation: the name or serial of the thing, or how many there are. */
  readonly type: string | number
}

/**
 * Asks before changes that cannot be undone, or that stop others from working: returns once the user has
 * typed the text, or with `--yes`. Throws {@link Declined}, and {@link UsageError} without a terminal.
 */
export async function confirmTyped(
  { streams }: ToStreams,
  { yes }: CommonOptions,
  consequence: () => Consequence | Promise<Consequence>,
): Promise<void> {
  requireYes({ streams }, { yes })
  if (yes) return
  const { told, type } = await consequence()
  const answer = await ask(streams, told, `Type ${type} to confirm: `)
  if (answer.trim() !== String(type)) throw new Declined()
}

/** Throws {@link UsageError} without `--yes` and a terminal, where {@link confirmTyped} would be too late. */
export function requireYes({ streams }: ToStreams, { yes }: { readonly yes?: boolean | undefined }): void {
  if (yes || streams.stdin.isTTY) return
  throw new UsageError("Can't ask for confirmation without a terminal. Pass --yes to go ahead.")
}

/** Throws {@link Declined} for Ctrl-C, or the end of input. */
async function ask(streams: Streams, told: string, question: string): Promise<string> {
  const { stdin, stderr } = streams
  stderr.write(`${typed(told, streams)}\n`)
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  try {
    return await lines.question(question)
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    // The line editor leaves the cursor after the question.
    stderr.write('\n')
    throw new Declined()
  } finally {
    lines.close()
  }
}
