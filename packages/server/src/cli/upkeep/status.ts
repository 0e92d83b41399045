/** `ratafia status`: shows the state of every part, and which need attention. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { RequestError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { Finding, State } from '../../status/read-status.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, print, withJson } from '../output.ts'
import { goes, withService } from '../service/ways.ts'
import { coloured } from '../terminal/colour.ts'
import { harmless } from '../terminal/harmless.ts'

const COLOURS = { ok: 'green', attention: 'red', unknown: 'yellow' } as const satisfies Record<State, string>

interface StatusOptions extends CommonOptions {}

export function statusCommand(parent: Command, context: CommandContext): void {
  goes(withJson(parent.command('status')), 'both', ['status'])
    .description('show the state of every part while nodes serve; exit code 1 if something needs attention')
    .action((options: StatusOptions) => status(options, context))
}

async function status(options: StatusOptions, context: CommandContext): Promise<void> {
  const { release, findings } = await withService(context, options, 'read', async (service) => {
    const { record } = await service.call(api.status)
    return { release: String(record['release']), findings: findingsIn(record) }
  })
  const wanting = findings.filter(({ state }) => state === 'attention')
  print(context, options, { release, findings }, textOf(findings, context))
  if (wanting.length === 0) return
  const need = wanting.length === 1 ? 'needs' : 'need'
  const checks = counted(findings.length, 'check')
  throw new RequestError('invalid-request', `${wanting.length} of ${checks} ${need} attention.`)
}

/** A finding with a part that only a newer service may know. */
type Shown = Omit<Finding, 'part'> & { readonly part: string }

function findingsIn({ findings }: JsonObject): readonly Shown[] {
  const all: readonly unknown[] = Array.isArray(findings) ? findings : []
  return all.filter(isObject).map(({ part, state, says }) => ({
    part: String(part),
    state: state === 'ok' || state === 'attention' ? state : 'unknown',
    says: String(says),
  }))
}

function textOf(findings: readonly Shown[], { streams: { stdout } }: CommandContext): string {
  return findings
    .map(({ part, state, says }) => {
      const mark = coloured(COLOURS[state], state.padEnd(9), stdout)
      return `${mark}  ${`${harmless(part).replaceAll('_', ' ')}:`.padEnd(13)} ${harmless(says)}`
    })
    .join('\n')
}
