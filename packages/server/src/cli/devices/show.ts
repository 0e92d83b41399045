/** `ratafia devices show`: prints everything that the register knows about one device. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readCount } from '../option-values.ts'
import { print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { findDevice } from './one-device.ts'

const DEVICE = 'DEVICE: its id, BRAND/MODEL/SERIAL, or the id of its device key'

/** The lists of a device in the order of the output: operation, name in its answer, and name in the document. */
const PARTS = [
  [api.deviceAssertions, 'assertions', 'assertions'],
  [api.deviceRegistrations, 'registrations', 'registrations'],
  [api.deviceSessions, 'sessions', 'sessions'],
  [api.deviceEvidence, 'evidence', 'clone_evidence'],
] as const

interface ShowOptions extends CommonOptions {
  readonly limit: string
  readonly assertions?: boolean
}

export function showCommand(devices: Command, context: CommandContext): void {
  goes(withJson(devices.command('show <device>')), 'both', [
    ...['device', 'devices', 'deviceActivity'],
    ...['deviceAssertions', 'deviceRegistrations', 'deviceSessions', 'deviceEvidence'],
  ])
    .description(`show everything that is known about a device (${DEVICE})`)
    .option('--limit <number>', 'how many of the newest registrations and sessions to show', '20')
    .option('--assertions', 'also print the serial assertions')
    .action(async (name: string, options: ShowOptions) => {
      const { detailsText } = await import('./details-text.ts')
      const limit = readCount('--limit', options.limit, 1_000)
      const record = await withService(context, options, 'read', (service) =>
        documentOf(service, name, limit),
      )
      print(context, options, record, detailsText(record, options.assertions === true))
    })
}

async function documentOf(service: Service, name: string, limit: number): Promise<JsonObject> {
  const { record } = await findDevice(service, name)
  const id = String(record['id'])
  const {
    record: { last_seen_at, last_address, evidence_at },
  } = await service.call(api.deviceActivity, { id })
  const activity = { last_seen_at, last_address, evidence_at }
  const parts = await Promise.all(
    PARTS.map(async ([operation, part, shown]) => {
      const { record: answer } = await service.call(operation, { id, query: { limit } })
      return [shown, answer[part] ?? []] as const
    }),
  )
  return { ...record, ...activity, ...Object.fromEntries(parts), others: await othersOf(service, record) }
}

/** Returns the other devices that have, had or want the serial number. */
async function othersOf(service: Service, record: JsonObject): Promise<readonly JsonObject[]> {
  const { id, brand_id: brand, model, serial } = record
  if (typeof serial !== 'string') return []
  const query = { serial, model: `${brand}/${model}` }
  const { records } = await service.list(api.devices, 'devices', { query, most: 100 })
  return records.filter((one) => isObject(one) && one['id'] !== id)
}
