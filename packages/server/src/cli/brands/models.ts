/** `ratafia models`: the models that devices can register as, and their policies. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { invalidField } from '../../errors.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readGiven, textOfFile } from '../files.ts'
import { counted, details, note, print, withJson, withList } from '../output.ts'
import { asRow, listRecords, printRecord } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { modelParameters, type PolicyOptions, policyOf, withPolicy } from './policy-options.ts'

const COLUMNS = [
  ...['brand_id', 'model', 'registration', 'proposed_serial', 'taken_serial', 'serials', 'hardware_identity'],
  ...['clones', 'added_at', 'warnings'],
]
const SHOWN = COLUMNS.slice(0, 6)
/** More than any installation has. */
const MOST = 10_000

export function modelCommands(parent: Command, context: CommandContext): void {
  const models = parent
    .command('models')
    .description('manage models, which devices register as, and their policies')

  goes(withPolicy(models.command('add <file>'), true), 'both', ['addModel'])
    .description('add a model: its assertion, and which devices can register')
    .action((path: string, options: PolicyOptions) => add(path, options, context))

  goes(withJson(models.command('update <file>')), 'both', ['updateModel'])
    .description('replace the assertion with a newer revision; the policy stays unchanged')
    .action(async (path: string, options: CommonOptions) => {
      const file = await readGiven(path, context.streams)
      const update = async (service: Service) => {
        const { assertionIn } = await import('../../brands/assertion-file.ts')
        const { brandId: brand, model } = assertionIn(file, 'model').assertion.fields
        const body = { assertion: textOfFile(file) }
        return service.recordOf(api.updateModel, { names: { brand, model }, body })
      }
      await printChanged(context, options, update, (name) => `Updated the assertion of ${name}.`)
    })

  goes(withList(models.command('list'), COLUMNS), 'both', ['models'])
    .description('list all models, by brand')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.models, name: 'models', most: MOST, columns: SHOWN },
        empty: 'No models yet. Add one with `ratafia models add FILE --registration …`.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )

  goes(withJson(models.command('show <brand/model>')), 'both', ['model', 'remodels', 'apiKeys'])
    .description('show one model: its policy, signer, remodels and API keys')
    .action((text: string, options: CommonOptions) => show(text, options, context))

  goes(withPolicy(models.command('set-policy <brand/model>'), false), 'both', ['setPolicy'])
    .description('change the policy of a model; settings that you leave out stay unchanged')
    .action((text: string, options: PolicyOptions) => {
      const change = async (service: Service) => {
        const body = policyOf(options)
        if (Object.values(body).every((setting) => setting === undefined)) {
          throw invalidField('There is nothing to change. Pass an option.')
        }
        // Matches any current policy, because settings without an option stay unchanged.
        const asking = { names: modelParameters(text), body, ifMatch: '*' }
        return service.recordOf(api.setPolicy, asking)
      }
      return printChanged(context, options, change, (name) => `Changed the policy of ${name}.`)
    })

  remodelCommands(models, context)

  goes(withYes(withJson(models.command('remove <brand/model...>'))), 'both', ['removeModel', 'apiKeys'])
    .description('remove models without devices, with their assertions, API keys and remodels')
    .action((names: readonly string[], options: CommonOptions) => {
      const consequence = async (text: string, service: Service) => {
        const asking = { names: modelParameters(text), most: MOST }
        const { records } = await service.list(api.apiKeys, 'api_keys', asking)
        return `This permanently removes the model ${text} with ${counted(records.length, 'API key')}.`
      }
      const act = async (text: string, service: Service) => {
        const value = await service.recordOf(api.removeModel, { names: modelParameters(text) })
        const keys = counted(Number(value['api_keys']), 'API key')
        const remodels = counted(Number(value['remodels']), 'remodel')
        return { value, told: `Removed the model ${text} with ${keys} and ${remodels}.` }
      }
      return actOnEach(names, { thing: 'model', done: 'removed', consequence, act }, options, context)
    })
}

function remodelCommands(models: Command, context: CommandContext): void {
  goes(withJson(models.command('allow-remodel <from> <to>')), 'both', ['addRemodel'])
    .description('allow devices of one model (BRAND/MODEL) to remodel to another')
    .action((from: string, to: string, options: CommonOptions) => {
      const [names] = [modelParameters(from), modelParameters(to)]
      return printRecord(
        context,
        options,
        'change',
        (service) => service.recordOf(api.addRemodel, { names, body: { to } }),
        () => `Devices of ${from} may now remodel to ${to}.`,
      )
    })

  goes(withJson(models.command('disallow-remodel <from> <to>')), 'both', ['removeRemodel'])
    .description(
      'no longer allow devices of one model to remodel to another; devices that already remodelled are not affected',
    )
    .action((from: string, to: string, options: CommonOptions) => {
      const [names, other] = [modelParameters(from), modelParameters(to)]
      const both = { ...names, to_brand: other.brand, to_model: other.model }
      return printRecord(
        context,
        options,
        'change',
        (service) => service.recordOf(api.removeRemodel, { names: both }),
        () => `Devices of ${from} may no longer remodel to ${to}.`,
      )
    })
}

/** The command reads the file itself, on the database and over HTTP. */
async function add(path: string, options: PolicyOptions, context: CommandContext): Promise<void> {
  const file = await readGiven(path, context.streams)
  const addTo = async (service: Service) => {
    const { assertionIn } = await import('../../brands/assertion-file.ts')
    const { checkSerialTemplate } = await import('../../brands/models/serial-template.ts')
    // Checks the file here, so that messages about it contain its name.
    const { serialTemplate = 'uuid' } = options
    if (serialTemplate !== 'uuid') checkSerialTemplate(serialTemplate)
    assertionIn(file, 'model')
    const body = { assertion: textOfFile(file), policy: policyOf(options) }
    return service.recordOf(api.addModel, { body })
  }
  await printChanged(context, options, addTo, (name) => `Added the model ${name}.`)
}

/** The fields that only the record of a single model has. */
const OF_ONE: ReadonlySet<string> = new Set([
  ...['warnings_by_setting', 'revision', 'display_name', 'architecture', 'base', 'grade', 'classic'],
  ...['signed_at', 'store', 'serial_authority', 'signer', 'signer_fault'],
])

/** Prints the fields of a model that lists also have, and its warnings on standard error. */
async function printChanged(
  context: CommandContext,
  options: CommonOptions,
  change: (service: Service) => Promise<JsonObject>,
  told: (name: string) => string,
): Promise<void> {
  const changed = await withService(context, options, 'change', change)
  const { brand_id, model, warnings } = changed
  const listed = Object.fromEntries(Object.entries(changed).filter(([name]) => !OF_ONE.has(name)))
  print(context, options, listed, told(`${brand_id}/${model}`))
  if (options.json || !Array.isArray(warnings)) return
  for (const warning of warnings) note(context.streams, `Warning: ${warning}`)
}

async function show(text: string, options: CommonOptions, context: CommandContext): Promise<void> {
  const { record, remodels, keys } = await withService(context, options, 'read', async (service) => {
    const asking = { names: modelParameters(text) }
    return {
      record: await service.recordOf(api.model, asking),
      remodels: await service.list(api.remodels, 'remodels', { ...asking, most: MOST }),
      keys: await service.list(api.apiKeys, 'api_keys', { ...asking, most: MOST }),
    }
  })
  const { warnings, warnings_by_setting: _, serial_authority, signer, signer_fault, ...fields } = record
  const row = {
    ...asRow(fields),
    signer: isObject(signer) ? `${signer['authority_id']} ${signer['key_id']}` : null,
    ...asRow({ signer_fault }),
  }
  const lists = {
    serial_authority: textsIn(serial_authority),
    remodels: remodels.records.map(({ to }) => String(to)),
    api_keys: keys.records.map(({ id, label }) => `${id} ${label}`),
    warnings: textsIn(warnings),
  }
  const joined = Object.entries(lists).map(([name, list]) => [name, list.join(', ')] as const)
  print(context, options, { ...row, ...lists }, details({ ...row, ...Object.fromEntries(joined) }))
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
