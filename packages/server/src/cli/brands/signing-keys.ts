/** `ratafia signing-keys`: the keys that sign serials. Their private halves are never shown. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { stateConflict } from '../../errors.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal } from '../context.ts'
import { readGiven, withNewFile } from '../files.ts'
import { readAhead } from '../option-values.ts'
import { note, print, withJson, withList } from '../output.ts'
import { listRecords } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes } from '../service/ways.ts'
import { harmless } from '../terminal/harmless.ts'
import { writeAssertion } from './assertions.ts'
import {
  KEY_FORMS,
  namedKey,
  PASSPHRASE,
  type PassphraseOption,
  readKey,
  readPassphrase,
  UNTIL,
  warnInCheckout,
} from './private-keys.ts'

interface CertifyOptions extends PassphraseOption {
  readonly key: string
  readonly rootKey: string
  readonly name: string
  readonly since?: string
  readonly until?: string
  readonly allow?: readonly string[]
  readonly output?: string
}

interface AddOptions extends CommonOptions, PassphraseOption {
  readonly accountKey?: string
}

/** More than any installation has. */
const MOST = 10_000

const COLUMNS = [
  'account_id',
  'name',
  'state',
  'since',
  'until',
  'added_at',
  'disabled_at',
  'fault',
  'key_id',
]

export function signingKeyCommands(parent: Command, context: CommandContext): void {
  const keys = parent
    .command('signing-keys')
    .description('manage the keys that sign serials; they are stored sealed and never shown')

  withJson(keys.command('add <key>'))
    .description(
      'add another key (a PEM or PGP file, or gpg:NAME of `snap create-key`) to a brand, or enable a disabled one again',
    )
    .option('--account-key <file>', "the key's account-key assertion, unless it is already stored")
    .option(...PASSPHRASE)
    .action(async (reference: string, options: AddOptions) => {
      const { addSigningKey } = await import('../../brands/keys/add-signing-key.ts')
      const accountKey =
        options.accountKey === undefined ? undefined : await readGiven(options.accountKey, context.streams)
      const passphrase = await readPassphrase(context, options)
      const signingKey = await namedKey(context, reference, passphrase)
      const wanted = { signingKey, accountKey, passphrase }
      const { keyId, accountId } = await context.withInstallation((installation) =>
        addSigningKey({ ...wanted, authority: installation.authority }, installation),
      )
      const told = `The key ${keyId} now signs serials for ${accountId}.`
      print(context, options, { key_id: keyId, account_id: accountId }, told)
    })

  goes(withJson(keys.command('generate <file>')), 'none')
    .description('create a private key in a new file (PEM, RSA, 4096 bits) that only you can read')
    .option('--passphrase-stdin', 'encrypt the key with a passphrase from standard input')
    .action((file: string, options: CommonOptions & PassphraseOption) => generate(file, options, context))

  goes(keys.command('certify <account-id>'), 'none')
    .description('certify another key of an account with the key of its root: print an account-key assertion')
    .requiredOption('--key <key>', `the private key: ${KEY_FORMS}`)
    .requiredOption('--root-key <key>', 'the private key of the root, in the same forms')
    .requiredOption('--name <name>', 'the name of the key, unique among the keys of the account')
    .option('--since <time>', 'when the key becomes valid, such as 2027-01-31T00:00:00Z (default: now)')
    .option(...UNTIL)
    .option(
      '--allow <type...>',
      'the assertion types that the key may sign, such as serial (default: all, the only choice with snapd 2.57)',
    )
    .option('--output <file>', 'write the assertion here instead of printing it')
    .option(...PASSPHRASE)
    .action((accountId: string, options: CertifyOptions) => certify(accountId, options, context))

  goes(withList(keys.command('list'), COLUMNS), 'both', ['signingKeys'])
    .description('list all keys, by account')
    .option('--account <account-id>', 'only keys of one account')
    .action(({ account, ...options }: CommonOptions & { readonly account?: string }) =>
      listRecords(context, options, {
        ...{ operation: api.signingKeys, name: 'signing_keys', most: MOST },
        asking: { query: { brand: account } },
        columns: ['account_id', 'name', 'state', 'until', 'key_id'],
        empty: 'No signing keys yet. `ratafia brands add` adds a brand with its first key.',
        filters: { account },
        more: `Only the first ${MOST} are shown. Pass --account to see the keys of one account.`,
        after: (records) => {
          if (options.json) return
          for (const { fault } of records)
            if (typeof fault === 'string') note(context.streams, harmless(fault))
        },
      }),
    )

  disableSigningKeysCommand(keys, context)
}

async function generate(path: string, options: CommonOptions & PassphraseOption, context: CommandContext) {
  const { generateSigningKey, privateKeyToPem } = await import('../../brands/keys/signing-key-secret.ts')
  const passphrase = await readPassphrase(context, options)
  const key = await withNewFile(path, { secret: true, otherwise: 'No key was created.' }, async (file) => {
    const made = await generateSigningKey()
    await file.write(privateKeyToPem(made, passphrase))
    return made
  })
  const { id } = key.publicKey
  print(context, options, { key_id: id, file: path }, `The private key ${id} is in ${path} and nowhere else.`)
  await warnInCheckout(path, context.streams)
}

async function certify(accountId: string, options: CertifyOptions, context: CommandContext): Promise<void> {
  const { certifyKey } = await import('../../brands/keys/certify-key.ts')
  const { name, since, until, allow = [] } = options
  const passphrase = await readPassphrase(context, options)
  const { publicKey } = await readKey(context, options.key, passphrase)
  const rootKey = await readKey(context, options.rootKey, passphrase)
  const assertion = await context.readInstallation((installation) => {
    const now = installation.clock()
    const validity = { since: readAhead('--since', since, now), until: readAhead('--until', until, now) }
    return certifyKey({ accountId, publicKey, rootKey, name, ...validity, allow }, installation)
  })
  await writeAssertion(assertion, options.output, context.streams)
}

function disableSigningKeysCommand(keys: Command, context: CommandContext): void {
  const command = withYes(withJson(keys.command('disable <key-id...>')))
  goes(command, 'both', ['disableSigningKey', 'signingKey'])
    .description('stop signing with keys; their serials stay valid (put -- before an id that begins with -)')
    .option('--force', 'disable the keys even if some models have no other key')
    .action((keyIds: readonly string[], options: CommonOptions & { readonly force?: boolean }) => {
      const { force = false } = options
      const consequence = (keyId: string) =>
        `The key ${keyId} signs no more serials until you add it again${force ? ', even for models without another key' : ''}.`
      const act = async (keyId: string, service: Service) => {
        const stopped = await disable(keyId, force, service)
        const warning = stopped.length > 0 ? ` Serials are no longer signed for ${stopped.join(', ')}.` : ''
        const told = `Disabled the signing key ${keyId}.${warning}`
        return { value: { disabled: keyId, stopped_models: stopped }, told }
      }
      return actOnEach(keyIds, { thing: 'signing key', done: 'disabled', consequence, act }, options, context)
    })
}

/** Disables the key, unless it changed since it was read. Returns the models without another key. */
async function disable(id: string, force: boolean, service: Service): Promise<readonly string[]> {
  if (!/^[A-Za-z0-9_-]{64}$/.test(id)) {
    const { noSuchSigningKey } = await import('../../brands/keys/list-signing-keys.ts')
    throw ServiceRefusal.like(noSuchSigningKey(id))
  }
  const { record, etag } = await service.call(api.signingKey, { id })
  if (record['disabled_at'] !== null) throw stateConflict(`The signing key ${id} is already disabled.`)
  const asking = { id, body: { force }, ifMatch: etag }
  const { stopped_models: stopped } = await service.recordOf(api.disableSigningKey, asking)
  return Array.isArray(stopped) ? stopped.map(String) : []
}
