/** `ratafia secret`: changes the secret key that seals every key in the database. It is never shown. */
import type { Command } from 'commander'
import { ConfigError } from '../../config/config.ts'
import { invalidRequest } from '../../errors.ts'
import type { Installation } from '../../installation.ts'
import { confirm, withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'

const HELP = `
Nodes keep serving. With a key of your own (RATAFIA_SECRET_KEY or RATAFIA_SECRET_KEY_FILE):
  1. Restart each node with the new key there, and the old key in RATAFIA_PREVIOUS_SECRET_KEY(_FILE).
     Meanwhile, add no keys: run neither \`keys rotate\` nor \`signing-keys add\`.
  2. When every node has both keys, run this command with both.
  3. Restart the nodes without the previous key.
If Ratafia created the key in the data directory, this command creates the new one and keeps the old one next to it.
You can interrupt the command and run it again. Earlier backups need the old key.`

export function secretCommands(parent: Command, context: CommandContext): void {
  const secret = parent
    .command('secret')
    .description('change the secret key, which seals every key in the database')

  withYes(withJson(secret.command('rotate')))
    .description('seal everything under a new secret key; the previous key keeps working meanwhile')
    .addHelpText('after', HELP)
    .action(async (options: CommonOptions) => {
      const { retireSecretKey } = await import('../../config/secret-key.ts')
      const { reseal } = await import('../../keyring/reseal.ts')
      await confirm(
        context,
        options,
        'This seals everything in the database under the new secret key. Afterwards, the old key opens only earlier backups. Nodes without the new key stop working.',
      )
      // Checked first: opening the installation for a change stores which secret key a new database has.
      const ownFile = await context.readInstallation(requireBothKeys)
      const done = await context.withInstallation(async (installation) => {
        const { sealer, authority } = installation
        const result = await withProgress(context.streams, ['Sealing', 'values'], (onProgress) =>
          reseal({ sealer, authority, onProgress }, installation),
        )
        const [keyId, previousKeyId = ''] = sealer.keyIds()
        if (result.unreadable.length > 0) {
          throw invalidRequest(
            `${result.unreadable.join(', ')}: neither key opens this, so it was left unchanged. Restore it from a backup, and keep the previous key.`,
          )
        }
        const retired = ownFile && (await retireSecretKey(ownFile, `retired-${previousKeyId}`))
        return { ...result, keyId, previousKeyId, retired: retired || undefined }
      })
      const { resealed, unchanged, keyId, previousKeyId, retired } = done
      const told = [
        `Sealed ${counted(resealed, 'value')} again; ${unchanged} unchanged. Everything in the database is now sealed under the key ${keyId}.`,
        retired === undefined
          ? `Nodes no longer need RATAFIA_PREVIOUS_SECRET_KEY (${previousKeyId}).`
          : `The previous key is in ${retired}, where nothing reads it.`,
        'Earlier backups need the old key. Keep it with them, and apart from the new one.',
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

/**
 * Throws {@link ConfigError} unless both keys are configured. If this program keeps the keys itself, creates the new
 * one, and returns the file of the previous one.
 */
async function requireBothKeys({ config, sealer }: Installation): Promise<string | undefined> {
  const { secret, previousSecret } = config
  const { replaceSecretKey, rereadSecretKeys } = await import('../../config/secret-key.ts')
  if (secret.from === 'file' && secret.makeBefore !== undefined && previousSecret?.from === 'file') {
    await replaceSecretKey(secret.file, previousSecret.file)
    if (rereadSecretKeys(secret, previousSecret)) return previousSecret.file
  }
  const [current, previous] = sealer.keyIds()
  if (previous === undefined) {
    throw new ConfigError(
      'RATAFIA_PREVIOUS_SECRET_KEY (or RATAFIA_PREVIOUS_SECRET_KEY_FILE) is not set. Set it to the previous key, and ' +
        'RATAFIA_SECRET_KEY to the new one. `openssl rand -base64 32` creates one; --help lists the steps.',
    )
  }
  if (current === previous) {
    throw new ConfigError('RATAFIA_PREVIOUS_SECRET_KEY and RATAFIA_SECRET_KEY are the same key.')
  }
}
