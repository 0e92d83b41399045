/** `ratafia models set-policy`, `allow-remodel`, `disallow-remodel` and `remove`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { parseModelName, showModelName } from '../../../brands/models/model-policy.ts'
import { invalidField } from '../../../errors.ts'
import { actOnEach } from '../../act-on-each.ts'
import { withYes } from '../../confirm.ts'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { counted, print, withJson } from '../../output.ts'
import type { Service } from '../../service/service.ts'
import { goes, withService } from '../../service/ways.ts'
import { parametersOf } from '../model-parameters.ts'
import { listedFields, printModel } from './model-output.ts'
import { type PolicyOptions, policyOf, wirePolicyOf, withPolicy } from './policy-options.ts'

/** More than any installation has. */
const MOST = 10_000

export function setPolicyCommand(models: Command, context: CommandContext): void {
  goes(withPolicy(models.command('set-policy <brand/model>'), false), 'both', ['setPolicy'])
    .description('change the policy of a model; settings that you leave out stay unchanged')
    .action(async (text: string, options: PolicyOptions & CommonOptions) => {
      const changesOf = () => {
        const changes = policyOf(options)
        if (Object.keys(changes).length > 0) return changes
        throw invalidField('There is nothing to change. Pass an option.')
      }
      const record = await withService(context, options, 'change', async (service) => {
        changesOf()
        const body = wirePolicyOf(options)
        const names = parametersOf(parseModelName(text))
        // Matches any current policy, because settings without an option stay unchanged.
        const changed = await service.call(api.setPolicy, { names, body, ifMatch: '*' })
        return listedFields(changed.record)
      })
      printModel(context, options, record, `Changed the policy of ${record['brand_id']}/${record['model']}.`)
    })
}

export function remodelCommands(models: Command, context: CommandContext): void {
  goes(withJson(models.command('allow-remodel <from> <to>')), 'both', ['addRemodel'])
    .description('allow devices of one model (BRAND/MODEL) to remodel to another')
    .action(async (from: string, to: string, options: CommonOptions) => {
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      const record = await withService(context, options, 'change', async (service) => {
        const asking = { names: parametersOf(pair.from), body: { to: showModelName(pair.to) } }
        return (await service.call(api.addRemodel, asking)).record
      })
      print(context, options, record, `Devices of ${from} may now remodel to ${to}.`)
    })

  goes(withJson(models.command('disallow-remodel <from> <to>')), 'both', ['removeRemodel'])
    .description(
      'no longer allow devices of one model to remodel to another; devices that already remodelled are not affected',
    )
    .action(async (from: string, to: string, options: CommonOptions) => {
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      const record = await withService(context, options, 'change', async (service) => {
        const names = { ...parametersOf(pair.from), to_brand: pair.to.brandId, to_model: pair.to.model }
        return (await service.call(api.removeRemodel, { names })).record
      })
      print(context, options, record, `Devices of ${from} may no longer remodel to ${to}.`)
    })
}

export function removeModelCommand(models: Command, context: CommandContext): void {
  goes(withYes(withJson(models.command('remove <brand/model...>'))), 'both', ['removeModel', 'apiKeys'])
    .description('remove models without devices, with their assertions, API keys and remodels')
    .action(async (names: readonly string[], options: CommonOptions) => {
      const consequence = async (text: string, service: Service) => {
        const asking = { names: parametersOf(parseModelName(text)), most: MOST }
        const { records } = await service.list(api.apiKeys, 'api_keys', asking)
        return `This permanently removes the model ${text} with ${counted(records.length, 'API key')}.`
      }
      const act = async (text: string, service: Service) => {
        const { record } = await service.call(api.removeModel, { names: parametersOf(parseModelName(text)) })
        const keys = counted(Number(record['api_keys']), 'API key')
        const told = `Removed the model ${text} with ${keys} and ${counted(Number(record['remodels']), 'remodel')}.`
        return { value: record, told }
      }
      await actOnEach(names, { thing: 'model', done: 'removed', consequence, act }, options, context)
    })
}
