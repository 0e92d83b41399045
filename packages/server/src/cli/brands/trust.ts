/** `ratafia trust`: the trust roots, which every chain of assertions must lead to. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { objectsIn } from '../../foreign-json.ts'
import { confirm, withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readGiven, withNewFile } from '../files.ts'
import { readAhead } from '../option-values.ts'
import { print, withJson, withList } from '../output.ts'
import { printRecords } from '../service/records.ts'
import { goes, withService } from '../service/ways.ts'
import {
  KEY_FORMS,
  PASSPHRASE,
  type PassphraseOption,
  readKey,
  readPassphrase,
  UNTIL,
} from './private-keys.ts'

interface CreateOptions extends CommonOptions, PassphraseOption {
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
    .description("manage trust roots: accounts that can sign brands; Canonical's is built in")

  withJson(trust.command('add <file...>'))
    .description('trust an account, by its self-signed account and account-key assertions')
    .action(async (files: readonly string[], options: CommonOptions) => {
      const { addTrustRoots } = await import('../../brands/trust/add-trust-roots.ts')
      const named = await Promise.all(files.map((file) => readGiven(file, context.streams)))
      const added = await context.beginInstallation((installation) =>
        addTrustRoots({ files: named, authority: installation.authority }, installation),
      )
      const rows = added.map(({ accountId, keyIds }) => ({ account_id: accountId, key_ids: keyIds }))
      const told = added.map(({ accountId }) => `${accountId} is now a trust root.`)
      print(context, options, rows, told.join('\n'))
    })

  withJson(trust.command('create-root <account-id>'))
    .description('create a root of your own and trust it; its private key signs, but is not stored')
    .requiredOption('--key <key>', `its private key: ${KEY_FORMS}`)
    .requiredOption('--output <file>', 'a new file for its account and account-key assertions')
    .option('--display-name <name>', 'the display name of the account (default: its id)')
    .option('--key-name <name>', 'the name of the key', 'root')
    .option(...UNTIL)
    .option(...PASSPHRASE)
    .action((accountId: string, options: CreateOptions) => createRootOf(accountId, options, context))

  goes(withList(trust.command('list'), COLUMNS), 'both', ['trustRoots'])
    .description('list all trust roots, with a line for each key')
    .action(async (options: CommonOptions) => {
      const found = await withService(context, options, 'read', (service) => service.recordOf(api.trustRoots))
      const roots = objectsIn(found['trust_roots'])
      printRecords(context, options, roots, { columns: COLUMNS, empty: 'No trust roots.' })
    })

  withYes(withJson(trust.command('remove <account-id>')))
    .description('stop trusting an account; the built-in root stays')
    .option('--force', 'remove the root even if nothing can be signed for some brands afterwards')
    .action(async (accountId: string, options: CommonOptions & { readonly force?: boolean }) => {
      const { removeTrustRoot } = await import('../../brands/trust/remove-trust-root.ts')
      const { force = false } = options
      await confirm(
        context,
        options,
        `${accountId} will no longer be trusted. Devices of the brands that it signed can register only if another trusted root also signed the brand.${force ? ' With --force, some brands may be left without a root.' : ''}`,
      )
      const lost = await context.withInstallation((installation) =>
        removeTrustRoot({ accountId, force, authority: installation.authority }, installation),
      )
      const unsigned = `Nothing is signed for ${lost.join(', ')} until you trust a root for them again.`
      const told = `${accountId} is no longer a trust root.${lost.length > 0 ? ` ${unsigned}` : ''}`
      print(context, options, { removed: accountId, untrusted_brands: lost }, told)
    })
}

async function createRootOf(accountId: string, options: CreateOptions, context: CommandContext) {
  const { createRoot } = await import('../../brands/trust/add-trust-roots.ts')
  const { displayName, keyName, until, output } = options
  const key = await readKey(context, options.key, await readPassphrase(context, options))
  const root = await withNewFile(output, { otherwise: 'No root was created.' }, (file) =>
    context.beginInstallation((installation) => {
      const { authority, clock } = installation
      const expires = readAhead('--until', until, clock())
      const wanted = { accountId, displayName, key, keyName, until: expires }
      return createRoot({ ...wanted, keep: file.write, authority }, installation)
    }),
  )
  const row = { account_id: accountId, key_id: root.keyId, file: output }
  const told = `${accountId} is now a trust root. Its assertions are in ${output}. Its private key was not stored.`
  print(context, options, row, told)
}
