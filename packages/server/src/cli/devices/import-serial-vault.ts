/** `ratafia import serial-vault`: imports the data of a serial-vault. */
import type { Command } from 'commander'
import type { ImportedVault } from '../../serial-vault/import.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'
import { harmless } from '../terminal/harmless.ts'

export function importSerialVaultCommand(imports: Command, context: CommandContext): void {
  withJson(imports.command('serial-vault <path...>'))
    .description(
      "import a dump of a serial-vault's database: plain SQL, or a directory of CSV files named after tables",
    )
    .option('--dry-run', 'show what the import would do, and change nothing')
    .action(async (paths: readonly string[], options: CommonOptions & { readonly dryRun?: boolean }) => {
      const { importSerialVault } = await import('../../serial-vault/import.ts')
      const { withFilesAt } = await import('./serial-vault-files.ts')
      const dryRun = options.dryRun === true
      const imported = await withFilesAt(paths, context.streams, (files) =>
        context.withInstallation((installation) =>
          withProgress(context.streams, 'Importing', (onProgress) =>
            importSerialVault({ files, dryRun, onProgress, authority: installation.authority }, installation),
          ),
        ),
      )
      print(context, options, document(imported, dryRun), summary(imported, dryRun))
    })
}

const document = (imported: ImportedVault, dryRun: boolean) => ({
  dry_run: dryRun,
  assertions: imported.assertions,
  api_keys: imported.apiKeys,
  signatures: imported.signatures,
  devices: imported.devices,
  duplicates: imported.duplicates,
  conflicts: imported.conflicts,
  skipped: imported.skipped,
  todo: imported.todo,
})

/** The maximum number of lines that are printed of each list; `--json` has all. */
const SHOWN = 50

function summary(imported: ImportedVault, dryRun: boolean): string {
  const { assertions, apiKeys, devices, signatures } = imported
  const lines = [
    dryRun ? 'Nothing was changed. An import would add:' : 'Imported:',
    `  accounts and keys: ${assertions.added}; ${assertions.unchanged} already present`,
    `  API keys: ${apiKeys.added}; ${apiKeys.unchanged} already present`,
    `  devices of ${counted(signatures, 'signature')}: ${devices.active} active, ${devices.superseded} superseded, ${devices.updated} updated; ${devices.unchanged} already present`,
    ...list('Serials with two keys, and keys with two serials', imported.duplicates),
    ...list('Conflicts with the register', imported.conflicts),
    ...list('Skipped', imported.skipped),
    ...list('Still to do', imported.todo),
  ]
  return lines.join('\n')
}

function list(title: string, sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return []
  const shown = sentences.slice(0, SHOWN).map((sentence) => `  - ${harmless(sentence)}`)
  const more = sentences.length - shown.length
  return [
    `${title} (${sentences.length}):`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more; pass --json to see all`] : []),
  ]
}
