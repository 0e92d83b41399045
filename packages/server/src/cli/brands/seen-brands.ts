/** `ratafia brands list` and `show`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { details, type JsonOption, type ListOption, print, withJson, withList } from '../output.ts'
import { asRow, listRecords } from '../service/as-row.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'

const COLUMNS = ['account_id', 'display_name', 'added_at']
/** More than anyone has. */
const MOST = 10_000

export function listBrandsCommand(brands: Command, context: CommandContext): void {
  goes(withList(brands.command('list'), COLUMNS), 'both', ['brands'])
    .description('list all brands, by account id')
    .action((options: ListOption & WayOptions) =>
      listRecords(context, options, {
        ...{ operation: api.brands, name: 'brands', most: MOST, columns: COLUMNS },
        empty:
          'There is no brand yet. `ratafia brands add` adds one, `ratafia brands create --demo` makes one to try.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )
}

export function showBrandCommand(brands: Command, context: CommandContext): void {
  goes(withJson(brands.command('show <account-id>')), 'both', ['brand', 'signingKeys', 'models'])
    .description('show one brand with its keys and models')
    .action(async (accountId: string, options: JsonOption & WayOptions) => {
      const { record, keys, models } = await withService(context, options, 'read', async (service) => {
        const found = await service.call(api.brand, { names: { brand: accountId } })
        const asking = { query: { brand: accountId }, most: MOST }
        return {
          record: found.record,
          keys: (await service.list(api.signingKeys, 'signing_keys', asking)).records,
          models: (await service.list(api.models, 'models', asking)).records,
        }
      })
      const lines = [
        details(asRow(record)),
        ...keys.map((key) => details({ signing_key: `${key['key_id']} ${key['state']}` })),
        ...models.map((one) => details({ model: `${one['model']} (registration ${one['registration']})` })),
      ]
      print(context, options, { ...record, signing_keys: keys, models }, lines.join('\n'))
    })
}
