/** `ratafia status`: shows the state of every part, and which need attention. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { invalidRequest } from '../../errors.ts'
import { type JsonObject, objectsIn } from '../../foreign-json.ts'
import type { Finding, State } from '../../status/read-status.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, print, withJson } from '../output.ts'
import { goes, withService } from '../service/ways.ts'
import { coloured } from '../terminal/colour.ts'
import { harmless } from '../terminal/harmless.ts'

const COLOURS = { ok: 'green', attention: 'red', unknown: 'yellow' } as const satisfies Record<State, string>

export function statusCommand(parent: Command, context: CommandContext): void {
  goes(withJson(parent.command('status')), 'both', ['status'])
    .description('show the state of every part while nodes serve; exit code 1 if something needs attention')
    .action(async (options: CommonOptions) => {
      const record = await withService(context, options, 'read', (service) => service.recordOf(api.status))
      const findings = objectsIn(record['findings']).map(findingIn)
      const wanting = findings.filter(({ state }) => state === 'attention')
      const value = { release: String(record['release']), findings }
      print(context, options, value, findings.map((one) => lineOf(one, context)).join('\n'))
      if (wanting.length === 0) return
      const need = wanting.length === 1 ? 'needs' : 'need'
      const checks = counted(findings.length, 'check')
      throw invalidRequest(`${wanting.length} of ${checks} ${need} attention.`)
    })
}

/** A finding with a part that only a newer service may know. */
type Shown = Omit<Finding, 'part'> & { readonly part: string }

const findingIn = ({ part, state, says }: JsonObject): Shown => ({
  part: String(part),
  state: state === 'ok' || state === 'attention' ? state : 'unknown',
  says: String(says),
})

function lineOf({ part, state, says }: Shown, { streams: { stdout } }: CommandContext): string {
  const mark = coloured(COLOURS[state], state.padEnd(9), stdout)
  return `${mark}  ${`${harmless(part).replaceAll('_', ' ')}:`.padEnd(13)} ${harmless(says)}`
}
