/** `ratafia api-keys`: the keys that devices of a model send to register. A key is printed once. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal, UsageError } from '../context.ts'
import { orEnd, printCredential } from '../login/print-credential.ts'
import { readAhead } from '../option-values.ts'
import { note, withJson, withList } from '../output.ts'
import { printRecords } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { escaped } from '../terminal/harmless.ts'
import { modelParameters } from './policy-options.ts'

interface AddOptions extends CommonOptions {
  readonly label: string
  readonly expires?: string
  readonly uses?: string
}

const COLUMNS = [
  ...['id', 'model', 'label', 'uses', 'use_limit', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'],
]
const SHOWN = COLUMNS.filter((name) => name !== 'created_at')
/** More than any installation has. */
const MOST = 10_000

export function apiKeyCommands(parent: Command, context: CommandContext): void {
  const keys = parent
    .command('api-keys')
    .description('manage API keys, which devices send to register; required once a model has had one')

  goes(withJson(keys.command('add <brand/model>')), 'both', ['addApiKey'])
    .description('create a key and print it; it is shown only once')
    .requiredOption('--label <label>', 'what the key is for')
    .option(
      '--expires <time>',
      'when the key expires: a time such as 2027-01-31T00:00:00Z, or a duration from now such as 90d',
    )
    .option('--uses <number>', 'how many registrations the key allows (default: any number)')
    .action((model: string, options: AddOptions) => add(model, options, context))

  goes(withList(keys.command('list'), COLUMNS), 'both', ['apiKeys', 'models'])
    .description('list all keys by model, without the keys themselves')
    .option('--model <brand/model>', 'only keys of one model')
    .action(async ({ model, ...options }: CommonOptions & { readonly model?: string }) => {
      const names = model === undefined ? undefined : modelParameters(model)
      const records = await withService(context, options, 'read', (service) => keysAt(service, names))
      const shown = { columns: SHOWN, empty: 'No API keys yet.', filters: { model } }
      printRecords(context, options, records, shown)
    })

  goes(withYes(withJson(keys.command('revoke <id...>'))), 'both', ['revokeApiKey', 'apiKeys', 'models'])
    .description('revoke keys: devices can no longer register with them; registered devices stay registered')
    .action((ids: readonly string[], options: CommonOptions) => revoke(ids, options, context))
}

async function add(model: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { label, json } = options
  const names = modelParameters(model)
  const uses = options.uses === undefined ? null : readUses(options.uses)
  await withService(context, options, 'change', async (service) => {
    const expires = readAhead('--expires', options.expires, service.clock())?.toISOString() ?? null
    const record = await service.recordOf(api.addApiKey, { names, body: { label, expires, uses } })
    const id = String(record['id'])
    await orEnd(
      `The API key ${id}`,
      () => printCredential(json ? escaped(JSON.stringify(record)) : String(record['key']), context.streams),
      () => service.call(api.revokeApiKey, { id, names }),
    )
  })
  if (json) return
  note(context.streams, `${model} now requires an API key. Save this one: it is not shown again.`)
}

function readUses(text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--uses ${text} is not a whole number of at least 1.`)
}

async function revoke(ids: readonly string[], options: CommonOptions, context: CommandContext) {
  let known: readonly JsonObject[] | undefined
  const act = async (id: string, service: Service) => {
    known ??= await keysAt(service)
    const model = known.find((key) => key['id'] === id)?.['model']
    if (typeof model !== 'string') {
      const { noSuchApiKey } = await import('../../brands/models/api-keys/list-api-keys.ts')
      throw ServiceRefusal.like(noSuchApiKey(id))
    }
    const value = await service.recordOf(api.revokeApiKey, { id, names: modelParameters(model) })
    const told = `Revoked the API key ${id}. ${model} still requires one, so add another if it was the last.`
    return { value, told }
  }
  const consequence = (id: string) => `Devices will no longer be able to register with the API key ${id}.`
  await actOnEach(ids, { thing: 'API key', done: 'revoked', consequence, act }, options, context)
}

/** Returns the keys of one model, or of all models, by model and time. */
async function keysAt(
  service: Service,
  model?: ReturnType<typeof modelParameters>,
): Promise<readonly JsonObject[]> {
  const models = model
    ? [model]
    : (await service.list(api.models, 'models', { most: MOST })).records.map((record) => ({
        brand: String(record['brand_id']),
        model: String(record['model']),
      }))
  const keys: JsonObject[] = []
  for (const names of models) {
    keys.push(...(await service.list(api.apiKeys, 'api_keys', { names, most: MOST })).records)
  }
  return keys
}
