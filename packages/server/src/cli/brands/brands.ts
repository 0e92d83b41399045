/** `ratafia brands`: the accounts that serials are signed for. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { DemoBrand } from '../../brands/demo-brand.ts'
import { serviceAddress } from '../../config/config.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, FileError, UsageError } from '../context.ts'
import { readNamed } from '../files.ts'
import {
  counted,
  details,
  type JsonOption,
  print,
  printList,
  type Row,
  withJson,
  withList,
} from '../output.ts'
import { modelRow } from './models.ts'
import { PASSPHRASE, type PassphraseOption, readPassphrase, signingKeyRow } from './signing-keys.ts'

interface AddOptions extends JsonOption, PassphraseOption {
  readonly account: string
  readonly accountKey: string
  readonly signingKey: string
}

interface CreateOptions extends JsonOption {
  readonly demo?: boolean
  readonly name: string
  readonly output: string
  readonly url?: string
}

export function brandCommands(parent: Command, context: CommandContext): void {
  const brands = parent.command('brands').description('the accounts that serials are signed for')

  withJson(brands.command('add'))
    .description('add a brand, or another account that models name in serial-authority, with a signing key')
    .requiredOption('--account <file>', 'its account assertion')
    .requiredOption('--account-key <file>', 'its account-key assertion')
    .requiredOption(
      '--signing-key <file>',
      'the private half of that key (PEM or armored PGP, RSA, 4096 bits and up)',
    )
    .option(...PASSPHRASE)
    .action(async (options: AddOptions) => {
      const { addBrand } = await import('../../brands/add-brand.ts')
      const [account, accountKey, signingKey] = await Promise.all([
        readNamed(options.account),
        readNamed(options.accountKey),
        readNamed(options.signingKey),
      ])
      const passphrase = await readPassphrase(context, options)
      const added = await context.beginInstallation((installation) =>
        addBrand({ account, accountKey, signingKey, passphrase }, installation),
      )
      const row = { account_id: added.accountId, display_name: added.displayName, key_id: added.keyId }
      print(context, options, row, `The brand ${added.accountId} is added; ${added.keyId} signs its serials.`)
    })

  withJson(brands.command('create'))
    .description('make a brand to try things with: a private root, a brand, a model and their keys')
    .option(
      '--demo',
      'required: such a brand is only for trying things out; a production snapd does not trust it',
    )
    .option('--name <name>', 'how the names of the accounts and the model begin', 'demo')
    .option('--output <directory>', 'a new directory for the assertions and private keys', './demo-brand')
    .option('--url <url>', 'address of the store assertion (default: that of the service)')
    .action((options: CreateOptions) => create(options, context))

  withList(brands.command('list'))
    .description('list all brands, by account id')
    .action(async (options: JsonOption) => {
      const rows = await context.readInstallation(async (installation) =>
        (await installation.brands.list()).map((brand) => ({
          account_id: brand.accountId,
          display_name: brand.displayName,
          added_at: brand.addedAt.toISOString(),
        })),
      )
      printList(context, options, rows, {
        columns: ['account_id', 'display_name', 'added_at'],
        empty:
          'There is no brand yet. `ratafia brands add` adds one, `ratafia brands create --demo` makes one to try.',
      })
    })

  withJson(brands.command('show <account-id>'))
    .description('show one brand with its keys and models')
    .action(async (accountId: string, options: JsonOption) => {
      const { showBrand } = await import('../../brands/show-brand.ts')
      const brand = await context.readInstallation((installation) => showBrand(accountId, installation))
      const row: Row = {
        account_id: brand.accountId,
        display_name: brand.displayName,
        added_at: brand.addedAt.toISOString(),
      }
      const keys = brand.keys.map(signingKeyRow)
      const models = brand.models.map(modelRow)
      const lines = [
        details(row),
        ...keys.map((key) => details({ signing_key: `${key.key_id} ${key.state}` })),
        ...models.map((model) => details({ model: `${model.model} (registration ${model.registration})` })),
      ]
      print(context, options, { ...row, signing_keys: keys, models }, lines.join('\n'))
    })

  withYes(withJson(brands.command('remove <account-id>')))
    .description('remove a brand that has neither models nor devices, with its signing keys')
    .action((accountId: string, options: JsonOption & YesOption) => remove(accountId, options, context))
}

async function remove(
  accountId: string,
  options: JsonOption & YesOption,
  context: CommandContext,
): Promise<void> {
  const { removeBrand } = await import('../../brands/remove-brand.ts')
  const keys = await context.withInstallation(async (installation) => {
    await confirm(context, options, async () => {
      const { length } = await installation.brands.keys(accountId)
      return `The brand ${accountId} and ${counted(length, 'signing key')} are removed for good. What was kept of the private halves elsewhere is all that is left of them.`
    })
    return removeBrand(accountId, installation)
  })
  const told = `The brand ${accountId} is removed, with its signing keys ${keys.join(', ')}.`
  print(context, options, { removed: accountId, signing_keys: keys }, told)
}

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { createDemoBrand } = await import('../../brands/demo-brand.ts')
  if (!options.demo) {
    throw new UsageError('Give --demo to make one to try things with; `ratafia brands add` adds a real one.')
  }
  const { output } = options
  // Before anything is made: the keys would have nowhere to go.
  await mkdir(output, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'already exists' : `cannot be made (${error.code})`
    throw new FileError(`${output} ${why}. Name a new directory with --output. Nothing was changed.`)
  })
  let stored = false
  try {
    const { demo, url } = await context.beginInstallation(async (installation) => {
      const address = options.url ?? serviceAddress(installation.config)
      return { demo: await createDemoBrand({ name: options.name, url: address }, installation), url: address }
    })
    stored = true
    for (const { name, text, secret } of demo.files) {
      await writeFile(join(output, name), text, { mode: secret ? 0o600 : 0o644 })
    }
    const { rootId, model, storeId } = demo
    const row = { root: rootId, brand: model.brandId, model: model.model, store: storeId, directory: output }
    print(context, options, row, guide(demo, output, url))
  } catch (error) {
    if (!stored) await rm(output, { recursive: true, force: true })
    throw error
  }
}

function guide({ rootId, model, storeId, files }: DemoBrand, directory: string, url: string): string {
  return [
    `Created the brand ${model.brandId} and its model ${model.model}; ${rootId} vouches for them.`,
    `In ${directory}:`,
    ...files.map(({ name, secret }) => `  ${name}${secret ? '  (private key)' : ''}`),
    'See the whole flow with a device in one file (registration, session, refresh), while the service runs:',
    `  npm run demo:device -- ${directory} ${url}`,
    'With snapd: the released snapd trusts only Canonical. A test snapd, or a program that links snapd, must',
    `  - trust account-${rootId} and account-key-${rootId},`,
    `  - use model-${model.model} as its model,`,
    `  - acknowledge account-${model.brandId}, account-key-${model.brandId} and store-${storeId} (\`snap ack\`), and`,
    `  - be pointed at this service: \`snap set core proxy.store=${storeId}\`, or device-service.url of its gadget.`,
    'docs/devices.md has the three ways to point a snapd at a service, and a program with snapd that does all this.',
  ].join('\n')
}
