/** The program's command tree, for documentation: its commands cannot run. */
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { createRatafia } from '../../packages/server/src/start/run.ts'

export function describedProgram(): Promise<Command> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return createRatafia({ environment: {}, streams })
}
