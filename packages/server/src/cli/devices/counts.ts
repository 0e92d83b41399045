/** `ratafia devices counts`: prints the number of devices. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { print, type Row, tableOf, withJson } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import { goes, withService } from '../service/ways.ts'

interface CountsOptions extends CommonOptions {
  readonly brand?: string
}

export function countsCommand(devices: Command, context: CommandContext): void {
  goes(withJson(devices.command('counts')), 'both', ['deviceCounts'])
    .description(
      'show how many devices there are, by brand, model and status; the service counts them once a minute',
    )
    .option('--brand <account-id>', 'only devices of one brand')
    .action((options: CountsOptions) => counts(options, context))
}

async function counts(options: CountsOptions, context: CommandContext): Promise<void> {
  const { brand } = options
  const record = await withService(
    context,
    options,
    'read',
    async (service) => (await service.call(api.deviceCounts, { query: { brand } })).record,
  )
  print(context, options, record, textOf(record, brand))
}

function textOf(record: JsonObject, brand: string | undefined): string {
  const { counts: list, counted_at: at } = record
  const rows: readonly Row[] = Array.isArray(list) ? list.filter(isObject).map(asRow) : []
  return [
    ...(rows.length === 0 ? [] : [tableOf(rows, ['brand_id', 'model', 'status', 'devices']), '']),
    at === null
      ? `The service has not counted the devices${brand === undefined ? '' : ` of ${brand}`} yet.`
      : `${record['devices']} in all, counted at ${at}.`,
    `Pending at the moment: ${numberIn(record['waiting'])}. In quarantine: ${numberIn(record['quarantined'])}.`,
  ].join('\n')
}

const numberIn = (counted: unknown): string => {
  if (!isObject(counted)) return 'an unknown number'
  return counted['more'] === true ? `more than ${counted['devices']}` : String(counted['devices'])
}
