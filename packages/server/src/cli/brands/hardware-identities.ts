/** `ratafia hardware-identities`: the keys that are built into boards. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { withEach, withLocalFile } from '../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../jobs/follow-job.ts'
import { counted, print, withJson, withList } from '../output.ts'
import { listRecords } from '../service/records.ts'
import { goes, withService } from '../service/ways.ts'

const COLUMNS = ['issuer_id', 'hardware_id', 'hardware_name', 'manufacturer', 'key_sha3_384', 'key_sha384']

/** More than any installation has. */
const MOST = 1_000_000

export function hardwareIdentityCommands(parent: Command, context: CommandContext): void {
  const identities = parent
    .command('hardware-identities')
    .description('manage keys built into hardware, for models that require proof of them')

  goes(withJson(identities.command('import <file...>')), 'both', IMPORT_OPERATIONS)
    .description('add hardware-identity assertions from files with one each or a stream of up to 128')
    .action(async (files: readonly string[], options: CommonOptions) => {
      const { importFileInto } = await import('../jobs/import-file.ts')
      const counts = await withEach(files, context.streams, withLocalFile<JsonObject>, (locals) => {
        const asked = { kind: 'hardware-identities.import', files: locals, dryRun: false, whole: true }
        return withService(context, options, 'change', (service) =>
          importFileInto(service, asked, context.streams),
        )
      })
      const imported = Number(counts['imported'])
      const told = `${counted(imported, 'hardware identity', 'hardware identities')} imported.`
      print(context, options, { imported }, told)
    })

  goes(withList(identities.command('list'), COLUMNS), 'both', ['hardwareIdentities'])
    .description("list all hardware identities, by the key's digest")
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.hardwareIdentities, name: 'hardware_identities', most: MOST },
        columns: ['issuer_id', 'hardware_id', 'hardware_name', 'manufacturer', 'key_sha3_384'],
        empty: 'No hardware identities yet.',
      }),
    )
}
