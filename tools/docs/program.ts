/** Returns the program's command tree for documentation. Its commands cannot run. */
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { createRatafia } from '../../packages/server/src/start/run.ts'

export function describedProgram(): Promise<Command> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return createRatafia({ environment: {}, streams })
}

/** Returns the commands without subcommands, with their full names. */
export function leavesOf(command: Command, path: readonly string[]): (readonly [name: string, Command])[] {
  const own = command.commands.length === 0 ? [[path.join(' '), command] as const] : []
  return [...own, ...command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]))]
}
