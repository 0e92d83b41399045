/** `ratafia devices import`. */
import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import type { CommandContext } from '../../context.ts'
import { formatOf, sizeOf } from '../../files.ts'
import { counted, type JsonOption, print, withJson } from '../../output.ts'
import { withProgress } from '../../progress.ts'
import { type FormatOption, withFormat } from './format.ts'

interface ImportOptions extends JsonOption, FormatOption {
  readonly unknownModels?: boolean
  readonly dryRun?: boolean
}

export function importCommand(devices: Command, context: CommandContext): void {
  withFormat(withJson(devices.command('import <file>')))
    .description('add the devices in a file: all of them, or none if one is refused')
    .option('--unknown-models', 'take devices of models that are not here, too')
    .option('--dry-run', 'check every row against the register, say what it would add, and change nothing')
    .action(async (file: string, options: ImportOptions) => {
      const { importDevices } = await import('../../../devices/transfer/import-devices.ts')
      const format = options.format ?? formatOf(file, ' Give --format.')
      const size = await sizeOf(file)
      const { unknownModels = false, dryRun = false } = options
      const within = dryRun ? context.readInstallation : context.beginInstallation
      const imported = await within((installation) =>
        withProgress(context.streams, ['Importing', 'KiB'], (onProgress) => {
          // A count of rows is not known before the end: the bar shows how much of the file was read.
          let read = 0
          const open = () => {
            const stream = createReadStream(file)
            read = 0
            stream.on('data', (chunk) => {
              read += chunk.length
            })
            return stream
          }
          return importDevices(
            {
              source: { format, open },
              unknownModels,
              dryRun,
              authority: installation.authority,
              onProgress: () => onProgress(kibibytes(read), kibibytes(size)),
            },
            installation,
          )
        }),
      )
      const there = imported.devices - imported.added
      const told = `${counted(imported.added, 'device')} ${dryRun ? 'would be ' : ''}added${there > 0 ? `, ${there} ${there === 1 ? 'was' : 'were'} already there` : ''}.`
      print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
    })
}

const kibibytes = (bytes: number): number => Math.ceil(bytes / 1024)
