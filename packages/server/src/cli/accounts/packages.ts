/** `ratafia packages`: the package directory, which turns names into snap ids. */
import type { Command } from 'commander'
import type { ImportPlan } from '../../package-directory/plan-import.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { readTable } from '../files.ts'
import { counted, type JsonOption, print, printList, rowsOf, withJson, withList } from '../output.ts'
import { withProgress } from '../progress.ts'

interface ImportOptions extends JsonOption, YesOption {
  readonly replace?: boolean
  readonly dryRun?: boolean
}

const COLUMNS = ['name', 'snap_id'] as const

export function packageCommands(parent: Command, context: CommandContext): void {
  const packages = parent
    .command('packages')
    .description('the package directory; while it is empty, the name of a package is used as its snap id')

  withYes(withJson(packages.command('import <file>')))
    .description(
      'add the packages of a .csv file (columns name, snap_id) or a .json list of {"name", "snap_id"}',
    )
    .option('--replace', 'remove packages that are not in the file')
    .option('--dry-run', 'say what would change, and change nothing')
    .action(async (file: string, options: ImportOptions) => {
      const { importPackages } = await import('../../package-directory/import.ts')
      const { planImport } = await import('../../package-directory/plan-import.ts')
      const { text, format } = await readTable(file)
      const replaceAll = options.replace === true
      if (options.dryRun) {
        const plan = await context.readInstallation((installation) =>
          planImport(text, { format, replaceAll }, installation),
        )
        print(context, options, { dry_run: true, ...plan }, `Nothing was changed. ${toldOf(plan)}`)
        return
      }
      const imported = await context.beginInstallation(async (installation) => {
        if (replaceAll) {
          await confirm(context, options, async () =>
            toldOf(await planImport(text, { format, replaceAll }, installation)),
          )
        }
        return withProgress(context.streams, ['Importing', 'packages'], (onProgress) =>
          importPackages(text, { format, replaceAll, onProgress }, installation),
        )
      })
      print(context, options, { imported }, `${counted(imported, 'package')} imported.`)
    })

  withList(packages.command('list'), COLUMNS)
    .description('list all packages, by name')
    .action(async (options: JsonOption) => {
      const { listPackages } = await import('../../package-directory/list.ts')
      const rows = await context.readInstallation((installation) =>
        rowsOf(listPackages(installation), ({ name, snapId }) => ({ name, snap_id: snapId })),
      )
      printList(context, options, rows, {
        columns: COLUMNS,
        empty: 'The package directory is empty: the name of a package is used as its snap id.',
      })
    })
}

const toldOf = ({ added, changed, removed, unchanged }: ImportPlan): string =>
  `The import adds ${counted(added, 'package')}, changes ${changed}, removes ${removed}, and leaves ${unchanged} as they are.`
