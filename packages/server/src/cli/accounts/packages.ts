/** `ratafia packages`: the package directory, which turns names into snap ids. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { readTable } from '../files.ts'
import { counted, type JsonOption, print, printList, rowsOf, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'

export function packageCommands(parent: Command, context: CommandContext): void {
  const packages = parent
    .command('packages')
    .description('the package directory; while it is empty, the name of a package is used as its snap id')

  withJson(packages.command('import <file>'))
    .description(
      'add the packages of a .csv file (columns name, snap_id) or a .json list of {"name", "snap_id"}',
    )
    .option('--replace', 'remove packages that are not in the file')
    .action(async (file: string, options: JsonOption & { readonly replace?: boolean }) => {
      const { importPackages } = await import('../../package-directory/import.ts')
      const { text, format } = await readTable(file)
      const imported = await context.beginInstallation((installation) =>
        withProgress(context.streams, 'Importing packages', (onProgress) =>
          importPackages(text, { format, replaceAll: options.replace === true, onProgress }, installation),
        ),
      )
      print(context, options, { imported }, `${counted(imported, 'package')} imported.`)
    })

  withJson(packages.command('list'))
    .description('list all packages, by name')
    .action(async (options: JsonOption) => {
      const { listPackages } = await import('../../package-directory/list.ts')
      const rows = await context.readInstallation((installation) =>
        rowsOf(listPackages(installation), ({ name, snapId }) => ({ name, snap_id: snapId })),
      )
      printList(context, options, rows, {
        columns: ['name', 'snap_id'],
        empty: 'The package directory is empty: the name of a package is used as its snap id.',
      })
    })
}
