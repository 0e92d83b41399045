/** `ratafia packages`: the package directory, which turns names into snap ids. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { ImportPlan } from '../../package-directory/plan-import.ts'
import { confirm, withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { type LocalFile, withLocalFile } from '../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../jobs/import-operations.ts'
import { counted, print, printList, withJson, withList } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'

interface ImportOptions extends CommonOptions {
  readonly replace?: boolean
  readonly dryRun?: boolean
}

const COLUMNS = ['name', 'snap_id'] as const

const printPlan = (plan: ImportPlan, options: ImportOptions, context: CommandContext): void =>
  print(context, options, { dry_run: true, ...plan }, `Nothing was changed. ${toldOf(plan)}`)

const printImported = (imported: number, options: ImportOptions, context: CommandContext): void =>
  print(context, options, { imported }, `${counted(imported, 'package')} imported.`)

async function importLocal(
  local: LocalFile,
  options: ImportOptions,
  service: Service,
  context: CommandContext,
): Promise<void> {
  const { importFileInto } = await import('../jobs/import-file.ts')
  const { streams } = context
  const wanted = { format: await local.format(), ...(options.replace ? { replace_all: true } : {}) }
  const asked = { kind: 'packages.import', files: [local], options: wanted }
  const plan = async (): Promise<ImportPlan> => {
    const counts = await importFileInto(service, { ...asked, dryRun: true }, streams)
    const { added, changed, removed, unchanged } = counts
    return {
      ...{ added: Number(added), changed: Number(changed) },
      ...{ removed: Number(removed), unchanged: Number(unchanged) },
    }
  }
  if (options.dryRun) return printPlan(await plan(), options, context)
  if (options.replace) await confirm(context, options, async () => toldOf(await plan()))
  const { imported } = await importFileInto(service, { ...asked, dryRun: false }, streams)
  printImported(Number(imported), options, context)
}

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
    .action(async (file: string, options: ImportOptions) => {
      await withLocalFile(file, (local) =>
        withService(context, options, options.dryRun ? 'change' : 'begin', (service) =>
          importLocal(local, options, service, context),
        ),
      )
    })

  goes(withList(packages.command('list'), COLUMNS), 'both', ['packages'])
    .description('list all packages, by name')
    .action(async (options: CommonOptions) => {
      const rows = await withService(context, options, 'read', async (service) =>
        (await service.list(api.packages, 'packages', { most: Number.MAX_SAFE_INTEGER })).records.map(asRow),
      )
      printList(context, options, rows, {
        columns: COLUMNS,
        empty: 'The package directory is empty, so package names also serve as snap ids.',
      })
    })
}

const toldOf = ({ added, changed, removed, unchanged }: ImportPlan): string =>
  `The import adds ${counted(added, 'package')}, changes ${changed}, removes ${removed}, and leaves ${unchanged} unchanged.`
