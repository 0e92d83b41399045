/** `ratafia status`: what runs, and what needs attention. */
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { RequestError } from '../../errors.ts'
import type { Finding, State } from '../../status/read-status.ts'
import { describeDatabase } from '../announcement.ts'
import type { CommandContext } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { coloured } from '../terminal/colour.ts'
import { harmless } from '../terminal/harmless.ts'

const COLOURS = { ok: 'green', attention: 'red', unknown: 'yellow' } as const satisfies Record<State, string>

export function statusCommand(parent: Command, context: CommandContext): void {
  withJson(parent.command('status'))
    .description('show what runs and how it is, while nodes serve; exit code 1 if something needs attention')
    .action(async (options: JsonOption) => {
      const { certificatesOf } = await import('../../config/postgres-tls-files.ts')
      const { schemaState } = await import('../../database/index.ts')
      const { readStatus } = await import('../../status/read-status.ts')
      const { askService } = await import('../../status/service-answer.ts')
      const findings = await context.readInstallation(async (installation) => {
        const { config, database } = installation
        const socket = socketOf(config)
        const here = {
          database: { kind: database.kind, location: describeDatabase(config.database) },
          schema: await schemaState(database),
          answer: socket === undefined ? undefined : await askService(socket),
          certificates: await certificatesOf(config.database),
        }
        return readStatus(here, installation)
      })
      const wanting = findings.filter(({ state }) => state === 'attention')
      print(context, options, { release: context.release, findings }, textOf(findings, context))
      if (wanting.length === 0) return
      const need = wanting.length === 1 ? 'needs' : 'need'
      throw new RequestError('invalid-request', `${wanting.length} of ${findings.length} ${need} attention.`)
    })
}

/** On this machine; undefined with a port that the system chooses. */
function socketOf({ host, port }: Config): string | undefined {
  if (port === 0) return undefined
  const local =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${local}:${port}`
}

function textOf(findings: readonly Finding[], { streams: { stdout } }: CommandContext): string {
  return findings
    .map(({ part, state, says }) => {
      const mark = coloured(COLOURS[state], state.padEnd(9), stdout)
      return `${mark}  ${`${part.replaceAll('_', ' ')}:`.padEnd(13)} ${harmless(says)}`
    })
    .join('\n')
}
