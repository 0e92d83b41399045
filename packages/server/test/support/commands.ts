/** The commands of the program. */
import type { Command } from 'commander'
import { createRatafia } from '../../src/start/run.ts'

/** Returns each command that runs something, with its words, for example `devices list`. */
export async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  return new Map(runCommandsOf(await createRatafia({ environment: {} })))
}

function runCommandsOf(command: Command, path = ''): readonly (readonly [words: string, command: Command])[] {
  return command.commands.flatMap((child) => {
    const words = `${path} ${child.name()}`.trim()
    // A group that only has subcommands has no options of its own.
    const isRun = child.commands.length === 0 || child.options.length > 0
    return [...(isRun ? [[words, child] as const] : []), ...runCommandsOf(child, words)]
  })
}
