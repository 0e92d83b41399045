/** `ratafia signing-keys disable`, on the database or at a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { stateConflict } from '../../errors.ts'
import { actOnAll } from '../act-on-each.ts'
import { withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, ServiceRefusal } from '../context.ts'
import { type JsonOption, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'

interface DisableOptions extends JsonOption, YesOption, WayOptions {
  readonly force?: boolean
}

/** What became of one key. */
interface Disabled {
  /** The models that have no other key. */
  readonly stopped: readonly string[]
  /** It was disabled earlier. */
  readonly before: boolean
}

export function disableSigningKeysCommand(keys: Command, context: CommandContext): void {
  const command = withYes(withJson(keys.command('disable <key-id...>')))
  goes(command, 'both', ['disableSigningKey', 'signingKey'])
    .description('stop signing with keys; what they signed stays (write -- before an id that begins with -)')
    .option('--force', 'even if some models have no other key')
    .action(async (keyIds: readonly string[], options: DisableOptions) => {
      const { force = false } = options
      const each = (disable: (keyId: string) => Promise<Disabled>): Promise<void> =>
        actOnAll(
          keyIds,
          {
            ...{ thing: 'signing key', done: 'disabled' },
            consequence: (keyId) =>
              `The key ${keyId} signs no more serials until it is added again${force ? ', even for models that have no other' : ''}.`,
            act: async (keyId) => {
              const { stopped, before } = await disable(keyId)
              if (before) throw stateConflict(`The signing key ${keyId} is already disabled.`)
              const warning =
                stopped.length > 0 ? ` Serials are no longer signed for ${stopped.join(', ')}.` : ''
              const told = `The signing key ${keyId} is disabled.${warning}`
              return { value: { disabled: keyId, stopped_models: stopped }, told }
            },
          },
          options,
          context,
          undefined,
        )
      await withService(context, options, 'change', (service) =>
        each((keyId) => disableThere(keyId, { force }, service)),
      )
    })
}

/** Disables the key as it was read: one that somebody changes meanwhile is refused. Throws `ServiceRefusal`. */
async function disableThere(
  id: string,
  { force }: { readonly force: boolean },
  service: Service,
): Promise<Disabled> {
  if (!/^[A-Za-z0-9_-]{64}$/.test(id)) {
    const { noSuchSigningKey } = await import('../../brands/keys/list-signing-keys.ts')
    const { code, message } = noSuchSigningKey(id)
    throw new ServiceRefusal(message, { code })
  }
  const { record, etag } = await service.call(api.signingKey, { id })
  if (record['disabled_at'] !== null) return { stopped: [], before: true }
  const { record: disabled } = await service.call(api.disableSigningKey, {
    id,
    body: { force },
    ifMatch: etag,
  })
  const { stopped_models: stopped } = disabled
  return { stopped: Array.isArray(stopped) ? stopped.map(String) : [], before: false }
}
