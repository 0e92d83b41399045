/** The program's tree of commands, for documentation: nothing in it can run. */
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { createProgram } from '../../packages/server/src/cli/program.ts'

export async function describedProgram(): Promise<Command> {
  const none = async (): Promise<never> => {
    throw new TypeError('the documentation runs no command')
  }
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return await createProgram({
    streams,
    withInstallation: none,
    withUnopenedInstallation: none,
    openSealer: none,
    serve: none,
    serveIdentity: none,
    migrate: none,
    planMigrations: none,
    release: '0',
  })
}
