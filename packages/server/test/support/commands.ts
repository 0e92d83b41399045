/** The commands of the program. */
import type { Command } from 'commander'
import { createRatafia } from '../../src/start/run.ts'

/** Returns each command that runs something, with its words, for example `devices list`. */
export async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  return new Map(leavesOf(await createRatafia({ environment: {} })))
}

function leavesOf(command: Command, path = ''): readonly (readonly [words: string, command: Command])[] {
  return command.commands.flatMap((child) => {
    const words = `${path} ${child.name()}`.trim()
    return child.commands.length > 0 ? leavesOf(child, words) : [[words, child] as const]
  })
}
