/** Returns the program's command tree for documentation. Its commands cannot run. */
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { createRatafia } from '../../packages/server/src/start/run.ts'

export function describedProgram(): Promise<Command> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return createRatafia({ environment: {}, streams })
}

/** Whether a command runs something itself: a group that only has subcommands has no options of its own. */
export const isRun = ({ commands, options }: Command): boolean => commands.length === 0 || options.length > 0

/** Returns the commands that run something, with their full names. */
export function runCommandsOf(
  command: Command,
  path: readonly string[],
): (readonly [name: string, Command])[] {
  const own = path.length > 0 && isRun(command) ? [[path.join(' '), command] as const] : []
  return [...own, ...command.commands.flatMap((child) => runCommandsOf(child, [...path, child.name()]))]
}
