/** `ratafia api-keys`: what devices of a model show to register. A key is printed once. */
import type { Command } from 'commander'
import type { ApiKey } from '../../brands/models/api-keys/api-key.ts'
import { parseModelName, showModelName } from '../../brands/models/model-policy.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import type { Installation } from '../installation.ts'
import { readInstant } from '../option-values.ts'
import { type JsonOption, note, print, printList, type RowOf, withJson, withList } from '../output.ts'

interface AddOptions extends JsonOption {
  readonly label: string
  readonly expires?: string
  readonly uses?: string
}

const COLUMNS = [
  'id',
  'model',
  'label',
  'uses',
  'use_limit',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
] as const

export function apiKeyCommands(parent: Command, context: CommandContext): void {
  const keys = parent
    .command('api-keys')
    .description('keys that devices send to register; required once a model has had one')

  withJson(keys.command('add <brand/model>'))
    .description('create a key and print it, once')
    .requiredOption('--label <label>', 'what it is for')
    .option('--expires <when>', 'a time such as 2027-01-31T00:00:00Z, or from now: a number and s, m, h or d')
    .option('--uses <number>', 'how often it may be used (default: any number of times)')
    .action(async (text: string, options: AddOptions) => {
      const { addApiKey } = await import('../../brands/models/api-keys/add-api-key.ts')
      const { key, text: secret } = await context.withInstallation((installation) =>
        addApiKey(
          {
            model: parseModelName(text),
            label: options.label,
            expiresAt:
              readInstant('--expires', options.expires, {
                now: installation.clock(),
                direction: 'ahead',
              }) ?? null,
            useLimit: options.uses === undefined ? null : readUses(options.uses),
          },
          installation,
        ),
      )
      print(context, options, { ...row(key), key: secret }, secret)
      if (options.json) return
      note(context.streams, `${text} requires an API key from now on. This one is stored nowhere else.`)
    })

  withList(keys.command('list'), COLUMNS)
    .description('list all keys without their text, by model')
    .option('--model <brand/model>', 'only those of one model')
    .action(async (options: JsonOption & { readonly model?: string }) => {
      const { listApiKeys } = await import('../../brands/models/api-keys/list-api-keys.ts')
      const model = options.model === undefined ? undefined : parseModelName(options.model)
      const rows = await context.readInstallation(async (installation) =>
        (await listApiKeys(model, installation)).map(row),
      )
      printList(context, options, rows, {
        columns: ['id', 'model', 'label', 'uses', 'use_limit', 'expires_at', 'last_used_at', 'revoked_at'],
        empty: 'There is no API key.',
      })
    })

  withYes(withJson(keys.command('revoke <id...>')))
    .description('revoke keys: no device can register with them; those that did stay registered')
    .action(async (ids: readonly string[], options: JsonOption & YesOption) => {
      const { revokeApiKey } = await import('../../brands/models/api-keys/revoke-api-key.ts')
      const consequence = (id: string) => `No device can register with the API key ${id} again.`
      const act = async (id: string, installation: Installation) => {
        const key = await revokeApiKey(id, installation)
        const told = `The API key ${id} is revoked. ${showModelName(key)} still requires one: add another if none is left.`
        return { value: row(key), told }
      }
      await actOnEach(ids, { thing: 'API key', done: 'revoked', consequence, act }, options, context)
    })
}

function readUses(text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--uses ${text} is not a whole number of at least 1.`)
}

const row = (key: ApiKey): RowOf<typeof COLUMNS> => ({
  id: key.id,
  model: showModelName(key),
  label: key.label,
  uses: key.uses,
  use_limit: key.useLimit,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})
