/** `ratafia models set-policy`, `allow-remodel`, `disallow-remodel` and `remove`. */

import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { parseModelName, showModelName } from '../../../brands/models/model-policy.ts'
import { invalidField } from '../../../errors.ts'
import { actOnEach } from '../../act-on-each.ts'
import { withYes, type YesOption } from '../../confirm.ts'
import type { CommandContext } from '../../context.ts'
import { counted, type JsonOption, print, withJson } from '../../output.ts'
import type { Service } from '../../service/service.ts'
import { goes, type WayOptions, withService } from '../../service/ways.ts'
import { parametersOf } from '../model-parameters.ts'
import { listedFields, printModel } from './model-output.ts'
import { type PolicyOptions, policyOf, wirePolicyOf, withPolicy } from './policy-options.ts'

/** More than anyone has. */
const MOST = 10_000

export function setPolicyCommand(models: Command, context: CommandContext): void {
  goes(withPolicy(models.command('set-policy <brand/model>'), false), 'both', ['setPolicy'])
    .description('change the policy of a model; what you leave out stays')
    .action(async (text: string, options: PolicyOptions & WayOptions) => {
      const changesOf = () => {
        const changes = policyOf(options)
        if (Object.keys(changes).length > 0) return changes
        throw invalidField('There is nothing to change: give an option.')
      }
      const record = await withService(context, options, 'change', async (service) => {
        changesOf()
        const body = wirePolicyOf(options)
        const names = parametersOf(parseModelName(text))
        // Whatever the policy is now: options that are not given stay.
        const changed = await service.call(api.setPolicy, { names, body, ifMatch: '*' })
        return listedFields(changed.record)
      })
      printModel(context, options, record, `The policy of ${record['brand_id']}/${record['model']} is set.`)
    })
}

export function remodelCommands(models: Command, context: CommandContext): void {
  goes(withJson(models.command('allow-remodel <from> <to>')), 'both', ['addRemodel'])
    .description('let devices of one model (BRAND/MODEL) become another')
    .action(async (from: string, to: string, options: JsonOption & WayOptions) => {
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      const record = await withService(context, options, 'change', async (service) => {
        const asking = { names: parametersOf(pair.from), body: { to: showModelName(pair.to) } }
        return (await service.call(api.addRemodel, asking)).record
      })
      print(context, options, record, `Devices of ${from} may become ${to}.`)
    })

  goes(withJson(models.command('disallow-remodel <from> <to>')), 'both', ['removeRemodel'])
    .description('no longer let devices of one model become another; those that did stay as they are')
    .action(async (from: string, to: string, options: JsonOption & WayOptions) => {
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      const record = await withService(context, options, 'change', async (service) => {
        const names = { ...parametersOf(pair.from), to_brand: pair.to.brandId, to_model: pair.to.model }
        return (await service.call(api.removeRemodel, { names })).record
      })
      print(context, options, record, `Devices of ${from} may no longer become ${to}.`)
    })
}

export function removeModelCommand(models: Command, context: CommandContext): void {
  goes(withYes(withJson(models.command('remove <brand/model...>'))), 'both', ['removeModel', 'apiKeys'])
    .description('remove models that no device has, with their assertions, API keys and remodels')
    .action(async (names: readonly string[], options: JsonOption & YesOption & WayOptions) => {
      const consequence = async (text: string, service: Service) => {
        const asking = { names: parametersOf(parseModelName(text)), most: MOST }
        const { records } = await service.list(api.apiKeys, 'api_keys', asking)
        return `The model ${text} is removed for good, with ${counted(records.length, 'API key')}.`
      }
      const act = async (text: string, service: Service) => {
        const { record } = await service.call(api.removeModel, { names: parametersOf(parseModelName(text)) })
        const keys = counted(Number(record['api_keys']), 'API key')
        const told = `The model ${text} is removed, with ${keys} and ${counted(Number(record['remodels']), 'remodel')}.`
        return { value: record, told }
      }
      await actOnEach(names, { thing: 'model', done: 'removed', consequence, act }, options, context)
    })
}
