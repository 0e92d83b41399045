/** `ratafia packages`: the package directory, which turns names into snap ids. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { ImportPlan } from '../../package-directory/import.ts'
import { confirm, withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { type LocalFile, withLocalFile } from '../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../jobs/follow-job.ts'
import { counted, print, withJson, withList } from '../output.ts'
import { listRecords } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'

interface ImportOptions extends CommonOptions {
  readonly replace?: boolean
  readonly dryRun?: boolean
}

const COLUMNS = ['name', 'snap_id']

export function packageCommands(parent: Command, context: CommandContext): void {
  const packages = parent
    .command('packages')
    .description('manage the package directory; while it is empty, package names also serve as snap ids')

  goes(withYes(withJson(packages.command('import <file>'))), 'both', IMPORT_OPERATIONS)
    .description(
      'add packages from a .csv file (columns name, snap_id) or a .json list of {"name", "snap_id"}',
    )
    .option('--replace', 'remove packages that are not in the file')
    .option('--dry-run', 'show what would change, and change nothing')
    .action((file: string, options: ImportOptions) =>
      withLocalFile(file, context.streams, (local) =>
        withService(context, options, options.dryRun ? 'change' : 'begin', (service) =>
          importLocal(local, options, service, context),
        ),
      ),
    )

  goes(withList(packages.command('list'), COLUMNS), 'both', ['packages'])
    .description('list all packages, by name')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.packages, name: 'packages', most: Number.MAX_SAFE_INTEGER, columns: COLUMNS },
        empty: 'The package directory is empty, so package names also serve as snap ids.',
      }),
    )
}

async function importLocal(
  local: LocalFile,
  options: ImportOptions,
  service: Service,
  context: CommandContext,
): Promise<void> {
  const { importFileInto } = await import('../jobs/import-file.ts')
  const wanted = { format: await local.format(), ...(options.replace ? { replace_all: true } : {}) }
  const asked = { kind: 'packages.import', files: [local], options: wanted }
  const plan = async (): Promise<ImportPlan> => {
    const { added, changed, ...rest } = await importFileInto(
      service,
      { ...asked, dryRun: true },
      context.streams,
    )
    const { removed, unchanged } = rest
    return {
      ...{ added: Number(added), changed: Number(changed) },
      ...{ removed: Number(removed), unchanged: Number(unchanged) },
    }
  }
  if (options.dryRun) {
    const planned = await plan()
    return print(context, options, { dry_run: true, ...planned }, `Nothing was changed. ${toldOf(planned)}`)
  }
  if (options.replace) await confirm(context, options, async () => toldOf(await plan()))
  const counts = await importFileInto(service, { ...asked, dryRun: false }, context.streams)
  const imported = Number(counts['imported'])
  print(context, options, { imported }, `${counted(imported, 'package')} imported.`)
}

const toldOf = ({ added, changed, removed, unchanged }: ImportPlan): string =>
  `The import adds ${counted(added, 'package')}, changes ${changed}, removes ${removed}, and leaves ${unchanged} unchanged.`
