/** `ratafia packages`: the package directory, which turns names into snap ids. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Command } from 'commander'
import { type CommandContext, FileError, UsageError } from '../context.ts'
import { type JsonOption, print, printList, type Row, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'

interface ImportOptions extends JsonOption {
  readonly replace?: boolean
}

export function packageCommands(parent: Command, context: CommandContext): void {
  const packages = parent
    .command('packages')
    .description('the package directory; while it is empty, a package name stands for itself')

  withJson(packages.command('import <file>'))
    .description(
      'add the packages of a .csv file (columns name, snap_id) or a .json list of {"name", "snap_id"}',
    )
    .option('--replace', 'remove packages that are not in the file')
    .action(async (file: string, options: ImportOptions) => {
      const { importPackages } = await import('../../package-directory/import.ts')
      const format = formatOf(file)
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new FileError(`${file} cannot be read (${error.code}).`)
      })
      const imported = await context.withInstallation((installation) =>
        withProgress(context.streams, 'Importing packages', (onProgress) =>
          importPackages(text, { format, replaceAll: options.replace === true, onProgress }, installation),
        ),
      )
      print(context, options, { imported }, `${imported} packages imported.`)
    })

  withJson(packages.command('list'))
    .description('all packages, by name')
    .action(async (options: JsonOption) => {
      const { listPackages } = await import('../../package-directory/list.ts')
      const rows = await context.withInstallation(async (installation) => {
        const all: Row[] = []
        for await (const { name, snapId } of listPackages(installation)) all.push({ name, snap_id: snapId })
        return all
      })
      printList(context, options, rows, {
        columns: ['name', 'snap_id'],
        empty: 'The package directory is empty: a package name stands for itself.',
      })
    })
}

function formatOf(file: string): 'csv' | 'json' {
  const ending = extname(file).toLowerCase()
  if (ending === '.csv') return 'csv'
  if (ending === '.json') return 'json'
  throw new UsageError(`${file} ends neither in .csv nor in .json.`)
}
