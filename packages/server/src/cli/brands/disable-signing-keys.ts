/** `ratafia signing-keys disable`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { stateConflict } from '../../errors.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, ServiceRefusal } from '../context.ts'
import { type JsonOption, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions } from '../service/ways.ts'

interface DisableOptions extends JsonOption, YesOption, WayOptions {
  readonly force?: boolean
}

export function disableSigningKeysCommand(keys: Command, context: CommandContext): void {
  const command = withYes(withJson(keys.command('disable <key-id...>')))
  goes(command, 'both', ['disableSigningKey', 'signingKey'])
    .description('stop signing with keys; what they signed stays (write -- before an id that begins with -)')
    .option('--force', 'even if some models have no other key')
    .action(async (keyIds: readonly string[], options: DisableOptions) => {
      const { force = false } = options
      const consequence = (keyId: string) =>
        `The key ${keyId} signs no more serials until it is added again${force ? ', even for models that have no other' : ''}.`
      const act = async (keyId: string, service: Service) => {
        const stopped = await disable(keyId, { force }, service)
        const warning = stopped.length > 0 ? ` Serials are no longer signed for ${stopped.join(', ')}.` : ''
        const told = `The signing key ${keyId} is disabled.${warning}`
        return { value: { disabled: keyId, stopped_models: stopped }, told }
      }
      await actOnEach(keyIds, { thing: 'signing key', done: 'disabled', consequence, act }, options, context)
    })
}

/** Disables the key as it was read: one that somebody changes meanwhile is refused. Returns the models without another key. */
async function disable(
  id: string,
  { force }: { readonly force: boolean },
  service: Service,
): Promise<readonly string[]> {
  if (!/^[A-Za-z0-9_-]{64}$/.test(id)) {
    const { noSuchSigningKey } = await import('../../brands/keys/list-signing-keys.ts')
    const { code, message } = noSuchSigningKey(id)
    throw new ServiceRefusal(message, { code })
  }
  const { record, etag } = await service.call(api.signingKey, { id })
  if (record['disabled_at'] !== null) throw stateConflict(`The signing key ${id} is already disabled.`)
  const { record: disabled } = await service.call(api.disableSigningKey, {
    id,
    body: { force },
    ifMatch: etag,
  })
  const { stopped_models: stopped } = disabled
  return Array.isArray(stopped) ? stopped.map(String) : []
}
