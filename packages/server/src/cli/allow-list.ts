/** `ratafia allow-list`: which devices may register, where the policy of a model asks for the list. */
import type { Command } from 'commander'
import { listAllowed } from '../brands/allow-list.ts'
import { importAllowList } from '../brands/import-allow-list.ts'
import { parseModelName } from '../brands/model-policy.ts'
import type { CommandContext } from './context.ts'
import { readTable } from './files.ts'
import { type JsonOption, print, printList, type Row, withJson } from './output.ts'
import { withProgress } from './progress.ts'

interface ModelOption extends JsonOption {
  readonly model: string
}

export function allowListCommands(parent: Command, context: CommandContext): void {
  const list = parent.command('allow-list').description('the devices that a model with that policy lets in')

  withJson(list.command('import <file>'))
    .description('add a .csv file (columns serial, device_key_id, or both) or a .json list of the same')
    .requiredOption('--model <brand/model>', 'the model they may register as')
    .action(async (file: string, options: ModelOption) => {
      const model = parseModelName(options.model)
      const { text, format } = await readTable(file)
      const { entries, added } = await context.withWorkspace((workspace) =>
        withProgress(context.streams, 'Importing', (onProgress) =>
          importAllowList(text, { model, format, onProgress }, workspace),
        ),
      )
      const told = `${added} entries added, ${entries - added} were there already.`
      print(context, options, { entries, added }, told)
    })

  withJson(list.command('list'))
    .description('the entries of a model')
    .requiredOption('--model <brand/model>', 'the model they may register as')
    .action(async (options: ModelOption) => {
      const rows = await context.withWorkspace(async (workspace) => {
        const all: Row[] = []
        for await (const { serial, deviceKeyId } of listAllowed(parseModelName(options.model), workspace)) {
          all.push({ serial, device_key_id: deviceKeyId })
        }
        return all
      })
      printList(context, options, rows, {
        columns: ['serial', 'device_key_id'],
        empty: `The allow-list of ${options.model} is empty.`,
      })
    })
}
