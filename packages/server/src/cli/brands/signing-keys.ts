/** `ratafia signing-keys`: the keys that sign serials. Their private halves are never shown. */
import type { Command } from 'commander'
import type { SigningKeyDescription } from '../../brands/keys/list-signing-keys.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readNamed } from '../files.ts'
import { type JsonOption, print, printList, type Row, withJson, withList } from '../output.ts'
import { readPassword } from '../password-input.ts'

export const PASSPHRASE = [
  '--passphrase-stdin',
  'the signing key is encrypted; read its passphrase from standard input',
] as const

export interface PassphraseOption {
  readonly passphraseStdin?: boolean
}

/** Undefined when it was not asked for. Throws {@link UsageError} for an empty one. */
export async function readPassphrase(
  { streams }: CommandContext,
  { passphraseStdin }: PassphraseOption,
): Promise<string | undefined> {
  if (!passphraseStdin) return undefined
  const passphrase = await readPassword(streams, true)
  if (passphrase === '') throw new UsageError('The passphrase on standard input is empty.')
  return passphrase
}

interface AddOptions extends JsonOption, PassphraseOption {
  readonly accountKey?: string
}

export function signingKeyCommands(parent: Command, context: CommandContext): void {
  const keys = parent
    .command('signing-keys')
    .description('the keys that sign serials; stored sealed, never shown again')

  withJson(keys.command('add <file>'))
    .description(
      'add another key (PEM or armored PGP, RSA, 4096 bits and up) to a brand; a disabled one signs again',
    )
    .option('--account-key <file>', 'its account-key assertion, unless it is already stored')
    .option(...PASSPHRASE)
    .action(async (file: string, options: AddOptions) => {
      const { addSigningKey } = await import('../../brands/keys/add-signing-key.ts')
      const signingKey = await readNamed(file)
      const accountKey = options.accountKey === undefined ? undefined : await readNamed(options.accountKey)
      const passphrase = await readPassphrase(context, options)
      const added = await context.withInstallation((installation) =>
        addSigningKey({ signingKey, accountKey, passphrase }, installation),
      )
      const told = `The key ${added.keyId} signs serials for ${added.accountId}.`
      print(context, options, { key_id: added.keyId, account_id: added.accountId }, told)
    })

  withList(keys.command('list'))
    .description('list all keys, by account')
    .option('--account <account-id>', 'only those of one account')
    .action(async (options: JsonOption & { readonly account?: string }) => {
      const { listSigningKeys } = await import('../../brands/keys/list-signing-keys.ts')
      const rows = await context.readInstallation(async (installation) =>
        (await listSigningKeys(options.account, installation)).map(signingKeyRow),
      )
      printList(context, options, rows, {
        columns: ['account_id', 'name', 'state', 'until', 'key_id'],
        empty: 'There is no signing key. `ratafia brands add` adds a brand with its first.',
      })
      if (options.json) return
      for (const { fault } of rows) if (fault) context.streams.stderr.write(`${fault}\n`)
    })

  withYes(withJson(keys.command('disable <key-id>')))
    .description('stop signing with a key; what it signed stays (write -- before an id that begins with -)')
    .option('--force', 'even if some models have no other key')
    .action(async (keyId: string, options: JsonOption & YesOption & { readonly force?: boolean }) => {
      const { disableSigningKey } = await import('../../brands/keys/disable-signing-key.ts')
      await confirm(
        context,
        options,
        `The key ${keyId} signs no more serials until it is added again${options.force ? ', even for models that have no other' : ''}.`,
      )
      const stopped = await context.withInstallation((installation) =>
        disableSigningKey({ keyId, force: options.force === true }, installation),
      )
      const warning = stopped.length > 0 ? ` Serials are no longer signed for ${stopped.join(', ')}.` : ''
      const told = `The signing key ${keyId} is disabled.${warning}`
      print(context, options, { disabled: keyId, stopped_models: stopped }, told)
    })
}

export const signingKeyRow = (key: SigningKeyDescription) =>
  ({
    account_id: key.accountId,
    name: key.name ?? null,
    state: key.disabledAt ? 'disabled' : key.fault === undefined ? 'signs' : 'does not fit',
    since: key.since?.toISOString() ?? null,
    until: key.until?.toISOString() ?? null,
    added_at: key.addedAt.toISOString(),
    disabled_at: key.disabledAt?.toISOString() ?? null,
    fault: key.fault ?? null,
    key_id: key.keyId,
  }) satisfies Row
