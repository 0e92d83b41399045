/** `ratafia trust`: the roots at which every chain of assertions must end. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { readNamed, withNewFile } from '../files.ts'
import { readInstant } from '../option-values.ts'
import { type JsonOption, type ListOption, print, withJson, withList } from '../output.ts'
import { printRecords } from '../service/as-row.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'
import { KEY_FORMS, PASSPHRASE, type PassphraseOption, readKey, readPassphrase } from './private-keys.ts'

interface CreateOptions extends JsonOption, PassphraseOption {
  readonly key: string
  readonly output: string
  readonly displayName?: string
  readonly keyName: string
  readonly until?: string
}

const COLUMNS = ['account_id', 'display_name', 'key_name', 'since', 'until', 'origin', 'key_id']

export function trustCommands(parent: Command, context: CommandContext): void {
  const trust = parent
    .command('trust')
    .description('the accounts trusted to vouch for brands; Canonical is built in')

  withJson(trust.command('add <file...>'))
    .description('trust an account: its account and account-key assertions, signed by itself')
    .action(async (files: readonly string[], options: JsonOption) => {
      const { addTrustRoots } = await import('../../brands/trust/add-trust-roots.ts')
      const named = await Promise.all(files.map((file) => readNamed(file)))
      const added = await context.beginInstallation((installation) =>
        addTrustRoots({ files: named, authority: installation.authority }, installation),
      )
      const rows = added.map(({ accountId, keyIds }) => ({ account_id: accountId, key_ids: keyIds }))
      const told = added.map(({ accountId }) => `${accountId} is a trust root: what it signs is trusted.`)
      print(context, options, rows, told.join('\n'))
    })

  withJson(trust.command('create-root <account-id>'))
    .description('make a root of your own and trust it; its private key signs and is not stored')
    .requiredOption('--key <key>', `its private key: ${KEY_FORMS}`)
    .requiredOption('--output <file>', 'a new file for its account and account-key assertions')
    .option('--display-name <name>', 'how the account is called (default: its id)')
    .option('--key-name <name>', 'how the key is called', 'root')
    .option('--until <when>', 'until when it may sign: a time, or from now, such as 3650d (default: no end)')
    .option(...PASSPHRASE)
    .action((accountId: string, options: CreateOptions) => createRootOf(accountId, options, context))

  goes(withList(trust.command('list'), COLUMNS), 'both', ['trustRoots'])
    .description('list all trust roots, a line for each key')
    .action(async (options: ListOption & WayOptions) => {
      const records = await withService(context, options, 'read', async (service) =>
        recordsIn((await service.call(api.trustRoots)).record['trust_roots']),
      )
      printRecords(context, options, records, { columns: COLUMNS, empty: 'There is no trust root.' })
    })

  withYes(withJson(trust.command('remove <account-id>')))
    .description('stop trusting an account; the built-in root stays')
    .option('--force', 'even if nothing can be signed for some brands afterwards')
    .action(async (accountId: string, options: JsonOption & YesOption & { readonly force?: boolean }) => {
      const { removeTrustRoot } = await import('../../brands/trust/remove-trust-root.ts')
      await confirm(
        context,
        options,
        `${accountId} is no longer trusted: no device of a brand that it vouches for can register${options.force ? ', even if no other root vouches for the brand' : ''}.`,
      )
      const lost = await context.withInstallation((installation) =>
        removeTrustRoot(
          { accountId, force: options.force === true, authority: installation.authority },
          installation,
        ),
      )
      const warning =
        lost.length > 0
          ? ` Nothing is signed for ${lost.join(', ')} until a root vouches for them again.`
          : ''
      const told = `${accountId} is no longer a trust root.${warning}`
      print(context, options, { removed: accountId, untrusted_brands: lost }, told)
    })
}

async function createRootOf(
  accountId: string,
  options: CreateOptions,
  context: CommandContext,
): Promise<void> {
  const { createRoot } = await import('../../brands/trust/create-root.ts')
  const { displayName, keyName, until, output } = options
  const key = await readKey(context, options.key, await readPassphrase(context, options))
  const root = await withNewFile(output, { otherwise: 'No root was made.' }, (file) =>
    context.beginInstallation((installation) => {
      const now = installation.clock()
      const expires = readInstant('--until', until, { now, direction: 'ahead' })
      const { authority } = installation
      return createRoot(
        { accountId, displayName, key, keyName, until: expires, keep: file.write, authority },
        installation,
      )
    }),
  )
  const row = { account_id: accountId, key_id: root.keyId, file: output }
  const told = `${accountId} is a trust root: what it signs is trusted. Its assertions are in ${output}; its private key stays where it is.`
  print(context, options, row, told)
}

const recordsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
