/** `ratafia status`: what runs, and what needs attention. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { RequestError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import type { Finding, State } from '../../status/read-status.ts'
import { describeDatabase } from '../announcement.ts'
import type { CommandContext } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'
import { coloured } from '../terminal/colour.ts'
import { harmless } from '../terminal/harmless.ts'

const COLOURS = { ok: 'green', attention: 'red', unknown: 'yellow' } as const satisfies Record<State, string>

interface StatusOptions extends JsonOption, WayOptions {}

export function statusCommand(parent: Command, context: CommandContext): void {
  goes(withJson(parent.command('status')), 'both', ['status'])
    .description('show what runs and how it is, while nodes serve; exit code 1 if something needs attention')
    .action((options: StatusOptions) => status(options, context))
}

async function status(options: StatusOptions, context: CommandContext): Promise<void> {
  const { release, findings } = await eitherWay(context, options, 'read', {
    directly: async (installation) => ({
      release: context.release,
      findings: await findingsHere(installation),
    }),
    over: async (service) => {
      const { record } = await service.call(api.status)
      return { release: String(record['release']), findings: findingsIn(record) }
    },
  })
  const wanting = findings.filter(({ state }) => state === 'attention')
  print(context, options, { release, findings }, textOf(findings, context))
  if (wanting.length === 0) return
  const need = wanting.length === 1 ? 'needs' : 'need'
  throw new RequestError('invalid-request', `${wanting.length} of ${findings.length} ${need} attention.`)
}

/** As the machine sees it that the command runs on. */
async function findingsHere(installation: Installation): Promise<readonly Shown[]> {
  const { certificatesOf } = await import('../../config/postgres-tls-files.ts')
  const { schemaState } = await import('../../database/index.ts')
  const { channelsOf } = await import('../../reminders/reminder.ts')
  const { readStatus } = await import('../../status/read-status.ts')
  const { askService } = await import('../../status/service-answer.ts')
  const { config, database } = installation
  const socket = socketOf(config)
  const here = {
    database: { kind: database.kind, location: describeDatabase(config.database) },
    schema: await schemaState(database),
    answer: socket === undefined ? undefined : await askService(socket),
    certificates: await certificatesOf(config.database),
    remindersBy: channelsOf(config.reminders),
  }
  return readStatus(here, installation)
}

/** A newer service may have other parts. */
type Shown = Omit<Finding, 'part'> & { readonly part: string }

function findingsIn({ findings }: JsonObject): readonly Shown[] {
  const all: readonly unknown[] = Array.isArray(findings) ? findings : []
  return all.filter(isObject).map(({ part, state, says }) => ({
    part: String(part),
    state: state === 'ok' || state === 'attention' ? state : 'unknown',
    says: String(says),
  }))
}

/** On this machine; undefined with a port that the system chooses. */
function socketOf({ host, port }: Config): string | undefined {
  if (port === 0) return undefined
  const local =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${local}:${port}`
}

function textOf(findings: readonly Shown[], { streams: { stdout } }: CommandContext): string {
  return findings
    .map(({ part, state, says }) => {
      const mark = coloured(COLOURS[state], state.padEnd(9), stdout)
      return `${mark}  ${`${harmless(part).replaceAll('_', ' ')}:`.padEnd(13)} ${harmless(says)}`
    })
    .join('\n')
}
