/** `ratafia secret`: the secret key that seals every key in the database. It is never shown. */
import type { Command } from 'commander'
import { type Config, ConfigError } from '../../config/config.ts'
import { RequestError } from '../../errors.ts'
import type { Sealer } from '../../keyring/sealing.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'

const HELP = `
Nodes go on serving. With a key of your own (RATAFIA_SECRET_KEY or RATAFIA_SECRET_KEY_FILE):
  1. Restart each node with the new key there, and the old key in RATAFIA_PREVIOUS_SECRET_KEY(_FILE).
     Meanwhile add no keys: neither \`keys rotate\` nor \`signing-keys add\`.
  2. When every node has both, run this command with the same two.
  3. Restart the nodes without the previous key.
With the key made in the data directory this command makes the new one, and keeps the old one beside it.
You can interrupt it and run it again. Backups made before it need the old key.`

export function secretCommands(parent: Command, context: CommandContext): void {
  const secret = parent.command('secret').description('the secret key that seals every key in the database')

  withYes(withJson(secret.command('rotate')))
    .description('seal everything under a new secret key; the previous one keeps working meanwhile')
    .addHelpText('after', HELP)
    .action(async (options: JsonOption & YesOption) => {
      const { retireSecretKey } = await import('../../config/secret-key.ts')
      const { reseal } = await import('../../keyring/reseal.ts')
      await confirm(
        context,
        options,
        'Everything in the database is sealed under the new secret key, and only backups made before now can be opened with the old one. A node that does not have the new key yet stops working.',
      )
      const done = await context.withInstallation(async (installation) => {
        const { config, sealer, authority } = installation
        const { both, ownFiles } = await secretsOf(config, sealer)
        const result = await withProgress(context.streams, ['Sealing', 'values'], (onProgress) =>
          reseal({ sealer: both, authority, onProgress }, installation),
        )
        const [keyId, previousKeyId = ''] = both.keyIds()
        if (result.unreadable.length > 0) {
          throw new RequestError(
            'invalid-request',
            `${result.unreadable.join(', ')}: neither key opens this, and it stays as it is. Restore it from a backup; keep the previous key.`,
          )
        }
        const retired = ownFiles && (await retireSecretKey(ownFiles.previous, `retired-${previousKeyId}`))
        return { ...result, keyId, previousKeyId, retired: retired || undefined }
      })
      const { resealed, unchanged, keyId, previousKeyId, retired } = done
      const told = [
        `${resealed} sealed again, ${unchanged} unchanged. Everything in the database is now sealed under the key ${keyId}.`,
        retired === undefined
          ? `No node needs RATAFIA_PREVIOUS_SECRET_KEY (${previousKeyId}) any longer.`
          : `The previous key is in ${retired}; nothing reads it there.`,
        'Backups made before now need the old key: keep it with them, and apart from the new one.',
      ]
      const document = {
        resealed,
        unchanged,
        key_id: keyId,
        previous_key_id: previousKeyId,
        retired_file: retired ?? null,
      }
      print(context, options, document, told.join('\n'))
    })
}

/** Both keys; where this program keeps them itself, the new one is made. */
async function secretsOf(
  { secret, previousSecret }: Config,
  sealer: Sealer,
): Promise<{ readonly both: Sealer; readonly ownFiles: { readonly previous: string } | undefined }> {
  const { replaceSecretKey, rereadSecretKeys } = await import('../../config/secret-key.ts')
  const { createSealer } = await import('../../keyring/sealing.ts')
  if (secret.from === 'file' && secret.makeBefore !== undefined && previousSecret?.from === 'file') {
    await replaceSecretKey(secret.file, previousSecret.file)
    const keys = rereadSecretKeys(secret, previousSecret)
    if (keys) return { both: distinct(createSealer(keys)), ownFiles: { previous: previousSecret.file } }
  }
  if (sealer.keyIds()[1] === undefined) {
    throw new ConfigError(
      'RATAFIA_PREVIOUS_SECRET_KEY (or RATAFIA_PREVIOUS_SECRET_KEY_FILE) is not set: it is the previous key, and ' +
        'RATAFIA_SECRET_KEY the new one. `openssl rand -base64 32` makes one; --help has the order of the steps.',
    )
  }
  return { both: distinct(sealer), ownFiles: undefined }
}

function distinct(sealer: Sealer): Sealer {
  const [current, previous] = sealer.keyIds()
  if (current !== previous) return sealer
  throw new ConfigError('RATAFIA_PREVIOUS_SECRET_KEY and RATAFIA_SECRET_KEY are the same key.')
}
