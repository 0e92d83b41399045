/** Reads the private keys that options name: a file, or a key of `snap create-key`. */
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { PrivateKey } from '@ratafia/assertions'
import type { NamedFile } from '../../brands/assertion-file.ts'
import { type CommandContext, type Streams, UsageError } from '../context.ts'
import { readGiven } from '../files.ts'
import { note } from '../output.ts'
import { readPassword } from '../password-input.ts'

export const KEY_FORMS = 'a file (PEM or armored PGP), or gpg:NAME for a key of `snap create-key`'

export const PASSPHRASE = [
  '--passphrase-stdin',
  'read the passphrase of an encrypted private key from standard input',
] as const

export const UNTIL = [
  '--until <time>',
  'when the key expires: a time, or a duration from now such as 3650d (default: never)',
] as const

export interface PassphraseOption {
  readonly passphraseStdin?: boolean
}

/** Returns the passphrase, or undefined without the option. Throws {@link UsageError} for an empty one. */
export async function readPassphrase(
  { streams }: CommandContext,
  { passphraseStdin }: PassphraseOption,
): Promise<string | undefined> {
  if (!passphraseStdin) return undefined
  const passphrase = await readPassword(streams, true)
  if (passphrase === '') throw new UsageError('The passphrase on standard input is empty.')
  return passphrase
}

/** Returns the bytes of a key in one of the {@link KEY_FORMS}, without parsing them. Throws `FileError`. */
export async function namedKey(
  { gnupgHome, streams }: CommandContext,
  reference: string,
  passphrase: string | undefined,
): Promise<NamedFile> {
  if (!reference.startsWith('gpg:')) return readGiven(reference, streams)
  const { exportFromGnupg } = await import('./gnupg.ts')
  const key = { name: reference.slice('gpg:'.length), home: gnupgHome(), passphrase }
  return { name: reference, bytes: await exportFromGnupg(key) }
}

/** Returns a private key. Throws `FileError`, and `invalid-field` for bytes that are not a private key. */
export async function readKey(
  context: CommandContext,
  reference: string,
  passphrase: string | undefined,
): Promise<PrivateKey> {
  const { readPrivateKey } = await import('../../brands/keys/signing-key-secret.ts')
  return readPrivateKey(await namedKey(context, reference, passphrase), passphrase)
}

/** Warns about a key in a Git work tree, where a `git add` would publish it. */
export async function warnInCheckout(path: string, streams: Streams): Promise<void> {
  for (let at = dirname(resolve(path)); ; at = dirname(at)) {
    const found = await stat(join(at, '.git')).catch(() => undefined)
    if (found) {
      note(
        streams,
        `ratafia: warning: ${path} is in the Git work tree ${at}. Move it elsewhere, or at least never commit it.`,
      )
      return
    }
    if (at === dirname(at)) return
  }
}
