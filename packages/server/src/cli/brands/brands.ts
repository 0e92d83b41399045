/** `ratafia brands`: the accounts that serials are signed for. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { confirmTyped, withNeededYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { readGiven, withNewFile } from '../files.ts'
import { readAhead } from '../option-values.ts'
import { counted, details, print, withJson, withList } from '../output.ts'
import { asRow, listRecords } from '../service/records.ts'
import { goes, withService } from '../service/ways.ts'
import { createDemo, type DemoOptions } from './create-demo.ts'
import {
  KEY_FORMS,
  namedKey,
  PASSPHRASE,
  type PassphraseOption,
  readKey,
  readPassphrase,
  UNTIL,
} from './private-keys.ts'

interface AddOptions extends CommonOptions, PassphraseOption {
  readonly account: string
  readonly accountKey: string
  readonly signingKey: string
}

interface CreateOptions extends DemoOptions, PassphraseOption {
  readonly demo?: boolean
  readonly rootKey?: string
  readonly signingKey?: string
  readonly displayName?: string
  readonly keyName: string
  readonly until?: string
}

const COLUMNS = ['account_id', 'display_name', 'added_at']
/** More than any installation has. */
const MOST = 10_000

export function brandCommands(parent: Command, context: CommandContext): void {
  const brands = parent
    .command('brands')
    .description('manage brands: the accounts that serials are signed for')

  withJson(brands.command('add'))
    .description('add a brand, or another account that models name in serial-authority, with a signing key')
    .requiredOption('--account <file>', 'its account assertion')
    .requiredOption('--account-key <file>', 'its account-key assertion')
    .requiredOption(
      '--signing-key <key>',
      `the private half of that key: ${KEY_FORMS}; RSA, 4096 bits and up`,
    )
    .option(...PASSPHRASE)
    .action(async (options: AddOptions) => {
      const { addBrand } = await import('../../brands/add-brand.ts')
      const account = await readGiven(options.account, context.streams)
      const accountKey = await readGiven(options.accountKey, context.streams)
      const passphrase = await readPassphrase(context, options)
      const signingKey = await namedKey(context, options.signingKey, passphrase)
      const wanted = { account, accountKey, signingKey, passphrase }
      const { accountId, displayName, keyId } = await context.beginInstallation((installation) =>
        addBrand({ ...wanted, authority: installation.authority }, installation),
      )
      const row = { account_id: accountId, display_name: displayName, key_id: keyId }
      print(context, options, row, `Added the brand ${accountId}. The key ${keyId} signs its serials.`)
    })

  withJson(brands.command('create [account-id]'))
    .description(
      'create a brand of your own, signed by your root; or, with --demo, a brand to try things with',
    )
    .option('--root-key <key>', `required: the private key of the root: ${KEY_FORMS}`)
    .option('--output <path>', 'required: a new file for its account and account-key assertions')
    .option(
      '--signing-key <key>',
      'its private key, in the same forms (default: a new one, stored only in the database, sealed)',
    )
    .option('--display-name <name>', 'the display name of the account (default: its id)')
    .option('--key-name <name>', 'the name of the key', 'serials')
    .option(...UNTIL)
    .option(...PASSPHRASE)
    .option(
      '--demo',
      'create a root, a brand, a model and their keys; a production snapd does not trust them',
    )
    .option('--name <name>', 'with --demo: the prefix for the names of the accounts and the model', 'demo')
    .option('--url <url>', "with --demo: the address in the store assertion (default: the service's own)")
    .action(async (accountId: string | undefined, options: CreateOptions, command: Command) => {
      if (options.demo) {
        const [superfluous] = [...(accountId === undefined ? [] : ['the account id']), ...given(OWN, command)]
        if (superfluous === undefined) return createDemo(options, context)
        throw new UsageError(`--demo creates the account and all keys itself. Leave out ${superfluous}.`)
      }
      const [superfluous] = given(DEMO, command)
      if (superfluous !== undefined) throw new UsageError(`${superfluous} works only with --demo.`)
      return create(accountId, options, context)
    })

  goes(withList(brands.command('list'), COLUMNS), 'both', ['brands'])
    .description('list all brands, by account id')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.brands, name: 'brands', most: MOST, columns: COLUMNS },
        empty:
          'No brands yet. Add one with `ratafia brands add`, or create one to try with `ratafia brands create --demo`.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )

  goes(withJson(brands.command('show <account-id>')), 'both', ['brand', 'signingKeys', 'models'])
    .description('show one brand with its keys and models')
    .action(async (brand: string, options: CommonOptions) => {
      const { record, keys, models } = await withService(context, options, 'read', async (service) => {
        const asking = { query: { brand }, most: MOST }
        return {
          record: await service.recordOf(api.brand, { names: { brand } }),
          keys: (await service.list(api.signingKeys, 'signing_keys', asking)).records,
          models: (await service.list(api.models, 'models', asking)).records,
        }
      })
      const lines = [
        details(asRow(record)),
        ...keys.map((key) => details({ signing_key: `${key['key_id']} ${key['state']}` })),
        ...models.map((one) => details({ model: `${one['model']} (registration ${one['registration']})` })),
      ]
      print(context, options, { ...record, signing_keys: keys, models }, lines.join('\n'))
    })

  withNeededYes(withJson(brands.command('remove <account-id>')))
    .description('remove a brand that has neither models nor devices, with its signing keys')
    .action((accountId: string, options: CommonOptions) => remove(accountId, options, context))
}

async function remove(accountId: string, options: CommonOptions, context: CommandContext): Promise<void> {
  const { removeBrand } = await import('../../brands/remove-brand.ts')
  const keys = await context.withInstallation(async (installation) => {
    await confirmTyped(context, options, async () => {
      const { length } = await installation.brands.keys(accountId)
      const told = `This permanently removes the brand ${accountId} and ${counted(length, 'signing key')}. The private halves remain only where you keep copies.`
      return { told, type: accountId }
    })
    return removeBrand({ brand: accountId, authority: installation.authority }, installation)
  })
  const told = `Removed the brand ${accountId} with its signing keys ${keys.join(', ')}.`
  print(context, options, { removed: accountId, signing_keys: keys }, told)
}

/** The options of `brands create` that work only without `--demo`, and those that work only with it. */
const OWN = ['--root-key', '--signing-key', '--display-name', '--key-name', '--until', PASSPHRASE[0]]
const DEMO = ['--name', '--url']

/** Returns the flags that are on the command line. */
const given = (flags: readonly string[], command: Command): readonly string[] =>
  command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .flatMap(({ long }) => (long && flags.includes(long) ? [long] : []))

async function create(accountId: string | undefined, options: CreateOptions, context: CommandContext) {
  const { createBrand } = await import('../../brands/add-brand.ts')
  const { output, displayName, keyName, until } = options
  if (accountId === undefined || options.rootKey === undefined || output === undefined) {
    throw new UsageError(
      'Pass an account id, --root-key and --output; or --demo to create a brand to try things with.',
    )
  }
  const passphrase = await readPassphrase(context, options)
  const rootKey = await readKey(context, options.rootKey, passphrase)
  const signingKey =
    options.signingKey === undefined ? undefined : await readKey(context, options.signingKey, passphrase)
  const brand = await withNewFile(output, { otherwise: 'No brand was created.' }, (file) =>
    context.beginInstallation((installation) => {
      const { authority, clock } = installation
      const expires = readAhead('--until', until, clock())
      const wanted = { accountId, displayName, rootKey, signingKey, keyName, until: expires }
      return createBrand({ ...wanted, keep: file.write, authority }, installation)
    }),
  )
  const { displayName: name, keyId, rootId } = brand
  const row = { account_id: accountId, display_name: name, key_id: keyId, root: rootId, file: output }
  const told = `Created the brand ${accountId}, signed by ${rootId}. The key ${keyId} signs its serials. Its assertions are in ${output}.`
  print(context, options, row, told)
}
