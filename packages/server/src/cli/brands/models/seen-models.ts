/** `ratafia models list` and `show`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { parseModelName } from '../../../brands/models/model-policy.ts'
import { isObject, type JsonObject } from '../../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { details, print, withJson, withList } from '../../output.ts'
import { asRow, listRecords } from '../../service/as-row.ts'
import { goes, withService } from '../../service/ways.ts'
import { parametersOf } from '../model-parameters.ts'

const COLUMNS = [
  ...['brand_id', 'model', 'registration', 'proposed_serial', 'taken_serial', 'serials', 'hardware_identity'],
  ...['clones', 'added_at', 'warnings'],
]
const SHOWN = ['brand_id', 'model', 'registration', 'proposed_serial', 'taken_serial', 'serials']
/** More than any installation has. */
const MOST = 10_000

export function listModelsCommand(models: Command, context: CommandContext): void {
  goes(withList(models.command('list'), COLUMNS), 'both', ['models'])
    .description('list all models, by brand')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.models, name: 'models', most: MOST, columns: SHOWN },
        empty: 'No models yet. Add one with `ratafia models add FILE --registration …`.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )
}

export function showModelCommand(models: Command, context: CommandContext): void {
  goes(withJson(models.command('show <brand/model>')), 'both', ['model', 'remodels', 'apiKeys'])
    .description('show one model: its policy, signer, remodels and API keys')
    .action(async (text: string, options: CommonOptions) => {
      const shown = await withService(context, options, 'read', async (service) => {
        const asking = { names: parametersOf(parseModelName(text)) }
        const { record } = await service.call(api.model, asking)
        const remodels = await service.list(api.remodels, 'remodels', { ...asking, most: MOST })
        const keys = await service.list(api.apiKeys, 'api_keys', { ...asking, most: MOST })
        return { record, remodels: remodels.records, keys: keys.records }
      })
      const { row, lists } = documentOf(shown)
      const joined = Object.entries(lists).map(([name, list]) => [name, list.join(', ')] as const)
      print(context, options, { ...row, ...lists }, details({ ...row, ...Object.fromEntries(joined) }))
    })
}

interface ShownModel {
  readonly record: JsonObject
  readonly remodels: readonly JsonObject[]
  readonly keys: readonly JsonObject[]
}

function documentOf({ record, remodels, keys }: ShownModel) {
  const { warnings, warnings_by_setting: _, serial_authority, signer, signer_fault, ...fields } = record
  return {
    row: {
      ...asRow(fields),
      signer: isObject(signer) ? `${signer['authority_id']} ${signer['key_id']}` : null,
      ...asRow({ signer_fault }),
    },
    lists: {
      serial_authority: textsIn(serial_authority),
      remodels: remodels.map(({ to }) => String(to)),
      api_keys: keys.map(({ id, label }) => `${id} ${label}`),
      warnings: textsIn(warnings),
    },
  }
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
