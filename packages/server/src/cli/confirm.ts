/** Asks a person at a terminal before a command does what cannot be undone. A script is not asked. */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { Declined, type Streams } from './context.ts'

export interface YesOption {
  readonly yes?: boolean
}

/** Adds `--yes` to a command. */
export const withYes = (command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation, which is asked for at a terminal only')

/**
 * Returns once the person has agreed, and at once with `--yes` or if standard input is no terminal. `consequence` says
 * in whole sentences what will happen and to how many; a function is only called if somebody is asked. Throws
 * {@link Declined}; any answer but yes is a no.
 */
export async function confirm(
  { streams }: { readonly streams: Streams },
  { yes }: YesOption,
  consequence: string | (() => string | Promise<string>),
): Promise<void> {
  const { stdin, stderr } = streams
  if (yes || !stdin.isTTY) return
  const told = typeof consequence === 'string' ? consequence : await consequence()
  stderr.write(`${told}\n`)
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  try {
    const answer = await lines.question('Go on? [y/N] ')
    if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Declined()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
    // Ctrl-C, or end of input, leaves the cursor behind the question.
    stderr.write('\n')
    throw new Declined()
  } finally {
    lines.close()
  }
}
