/** `ratafia release`: verifies the files of a release, without an installation, a database or a network. */
import type { Command } from 'commander'
import type { CheckedFile, FileState } from '../../release/check-files.ts'
import { RELEASE_KEYS } from '../../release/keys.ts'
import type { PublicKey } from '../../release/public-key.ts'
import { ReleaseError } from '../../release/release-error.ts'
import type { ReleaseKey } from '../../release/release-keys.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readGiven, textOfFile } from '../files.ts'
import { counted, print, withJson } from '../output.ts'
import { goes } from '../service/ways.ts'
import { coloured } from '../terminal/colour.ts'
import { harmless } from '../terminal/harmless.ts'

interface VerifyOptions extends CommonOptions {
  readonly key?: string
  readonly ignoreMissing?: boolean
  readonly older?: boolean
}

export function releaseCommands(parent: Command, context: CommandContext): void {
  const release = parent.command('release').description('verify the files of a release')

  goes(withJson(release.command('verify')), 'none')
    .description(
      'verify the signature and the hash of every file of a release; exit code 1 if anything is wrong',
    )
    .argument('<directory>', 'the files of the release, with SHA256SUMS and SHA256SUMS.sig')
    .option('--key <file>', 'a public key (.pub) that signed it, instead of the release keys in this program')
    .option('--ignore-missing', 'accept a directory with only some files of the release')
    .option('--older', 'accept a release that is older than this program')
    .action(async (directory: string, options: VerifyOptions) => verify(directory, options, context))

  goes(release.command('keys'), 'none')
    .description(
      'print the release keys in this program as allowed signers, for `ssh-keygen -Y verify -I ratafia`',
    )
    .action(async () => {
      const { allowedSigners } = await import('../../release/release-keys.ts')
      context.streams.stdout.write(allowedSigners(await builtInKeys()))
    })
}

async function verify(directory: string, options: VerifyOptions, context: CommandContext): Promise<void> {
  const { verifyRelease } = await import('../../release/verify-release.ts')
  const keys: readonly (PublicKey | ReleaseKey)[] =
    options.key === undefined ? await builtInKeys() : [await keyIn(options.key, context)]
  const oldest = options.older ? undefined : context.release
  const { version, key, files } = await verifyRelease(directory, { keys, oldest })
  const { fingerprintOf } = await import('../../release/public-key.ts')
  const fingerprint = fingerprintOf(key.blob)
  const place = 'place' in key ? key.place : null
  const lines = [
    `Release ${version}, signed with ${place === null ? `the key in ${options.key}` : `the ${place} release key`}, ${fingerprint}`,
    ...files.map((file) => lineOf(file, context)),
  ]
  print(context, options, { version, key: { place, fingerprint }, files }, lines.join('\n'))
  requireRight(files, directory, options)
}

/** Throws {@link ReleaseError} if a file is wrong, or if no file is there. */
function requireRight(
  files: readonly CheckedFile[],
  directory: string,
  { ignoreMissing }: VerifyOptions,
): void {
  const wrong = files.filter(({ state }) => state !== 'ok' && !(ignoreMissing && state === 'missing'))
  if (wrong.length > 0) {
    const what = wrong.length === 1 ? 'is not as' : 'are not as'
    throw new ReleaseError(
      `${counted(wrong.length, 'file')} in ${directory} ${what} in the release. Do not use the directory before all are ok.`,
    )
  }
  if (files.every(({ state }) => state === 'missing')) {
    throw new ReleaseError(`${directory} has no file of the release. Download those that you need.`)
  }
}

/** Returns the keys in this program. Throws {@link ReleaseError} if it has none. */
async function builtInKeys(): Promise<readonly ReleaseKey[]> {
  const { readReleaseKeys } = await import('../../release/release-keys.ts')
  const keys = readReleaseKeys(RELEASE_KEYS)
  if (keys.length > 0) return keys
  throw new ReleaseError(
    'This build of Ratafia has no release keys. Verify with one that you trust: `ratafia release verify DIRECTORY --key FILE.pub`.',
  )
}

async function keyIn(file: string, { streams }: CommandContext): Promise<PublicKey> {
  const { parsePublicKey } = await import('../../release/public-key.ts')
  return parsePublicKey(textOfFile(await readGiven(file, streams)), file)
}

const STATES = {
  ok: ['green', 'ok', ''],
  changed: ['red', 'CHANGED', ': its content is not that of the release. Download it again.'],
  missing: ['red', 'MISSING', ': download it, or pass --ignore-missing.'],
  extra: ['red', 'EXTRA', ': it is not part of the release. Remove it.'],
  other: [
    'red',
    'NO FILE',
    ': it is a link, a directory or a device. Replace it by the file of the release.',
  ],
} as const satisfies Record<FileState, readonly [colour: string, word: string, advice: string]>

function lineOf({ name, state }: CheckedFile, { streams: { stdout } }: CommandContext): string {
  const [colour, word, advice] = STATES[state]
  return `${coloured(colour, word.padEnd(7), stdout)}  ${harmless(name)}${advice}`
}
