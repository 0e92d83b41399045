/** Decides about many devices, shows how far it is, and says what became of each. */
import { decideMany, type ManyDecision, type Outcome } from '../../devices/many/decide-many.ts'
import { refuseFailures } from '../act-on-each.ts'
import type { CommandContext } from '../context.ts'
import type { Installation } from '../installation.ts'
import { counted, type JsonOption, note, print, tableOf } from '../output.ts'
import { withProgress } from '../progress.ts'
import { type Choice, chosen, countChosen } from './chosen-devices.ts'
import { deviceRow } from './device-output.ts'

interface Report {
  readonly choice: Choice
  readonly decision: ManyDecision
  /** What the devices are afterwards, such as `approved`. */
  readonly decided: string
}

/**
 * Prints the results even when the database goes away halfway: they are stored. Throws `RequestError` `invalid-request`
 * if a device failed.
 */
export async function decideAndReport(
  { choice, decision, decided }: Report,
  options: JsonOption & { readonly dryRun?: boolean },
  installation: Installation,
  context: CommandContext,
): Promise<void> {
  const outcomes: Outcome[] = []
  try {
    const total = await countChosen(choice, decision, installation)
    await withProgress(context.streams, ['Deciding', 'devices'], async (onProgress) => {
      for await (const some of decideMany(chosen(choice, installation), decision, installation)) {
        outcomes.push(...some)
        onProgress(outcomes.length, Math.max(total, outcomes.length))
      }
    })
  } finally {
    tell(outcomes, options.dryRun ? `would be ${decided}` : decided, options, context)
  }
  refuseFailures(outcomes, { thing: 'device', done: decided })
}

function tell(
  outcomes: readonly Outcome[],
  verb: string,
  options: JsonOption,
  context: CommandContext,
): void {
  const count = (result: Outcome['result']) => outcomes.filter((one) => one.result === result).length
  const counts = { done: count('done'), already: count('already'), failed: count('failed') }
  const devices = outcomes.map(({ result, name, device, message }) => ({
    result,
    name,
    message,
    ...(device ? deviceRow(device) : {}),
  }))
  const rows = devices.map((row) => ({
    ...row,
    device: 'id' in row ? row.id : row.name,
    result: row.result === 'done' ? verb : row.result,
  }))
  const table = rows.length === 0 ? 'There is no such device.' : tableOf(rows, COLUMNS)
  print(context, options, { ...counts, devices }, table)
  if (options.json || rows.length === 0) return
  const more = [
    ...(counts.already > 0 ? [`${counts.already} before`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
  ]
  note(context.streams, `${[`${counted(counts.done, 'device')} ${verb}`, ...more].join(', ')}.`)
}

const COLUMNS = ['device', 'brand_id', 'model', 'serial', 'result', 'message']
