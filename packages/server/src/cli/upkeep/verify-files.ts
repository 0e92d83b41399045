/** The work of `ratafia release`, which only its commands load. */
import type { CheckedFile, FileState } from '../../release/check-files.ts'
import { RELEASE_KEYS } from '../../release/keys.ts'
import { fingerprintOf, type PublicKey, parsePublicKey } from '../../release/public-key.ts'
import { ReleaseError } from '../../release/release-error.ts'
import { allowedSigners, type ReleaseKey, readReleaseKeys } from '../../release/release-keys.ts'
import { verifyRelease } from '../../release/verify-release.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readGiven, textOfFile } from '../files.ts'
import { counted, print } from '../output.ts'
import { coloured } from '../terminal/colour.ts'
import { harmless } from '../terminal/harmless.ts'

export interface VerifyOptions extends CommonOptions {
  readonly key?: string
  readonly ignoreMissing?: boolean
  readonly older?: boolean
}

/** Prints the state of each file. Throws {@link ReleaseError} unless the release is signed and complete. */
export async function verifyFiles(
  directory: string,
  options: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const keys: readonly (PublicKey | ReleaseKey)[] =
    options.key === undefined ? builtInKeys() : [await keyIn(options.key, context)]
  const oldest = options.older ? undefined : context.release
  const { version, key, files } = await verifyRelease(directory, { keys, oldest })
  const fingerprint = fingerprintOf(key.blob)
  const place = 'place' in key ? key.place : null
  const lines = [
    `Release ${version}, signed with ${place === null ? `the key in ${options.key}` : `the ${place} release key`}, ${fingerprint}`,
    ...files.map((file) => lineOf(file, options, context)),
  ]
  const wrong = files.filter(({ state }) => state !== 'ok' && !(options.ignoreMissing && state === 'missing'))
  const complete = wrong.length === 0 && files.some(({ state }) => state === 'ok')
  print(context, options, { version, key: { place, fingerprint }, complete, files }, lines.join('\n'))
  if (!complete) throw incomplete(wrong.length, directory)
}

/** Prints the keys in this program as allowed signers. Throws {@link ReleaseError} if it has none. */
export const printKeys = ({ streams }: CommandContext): unknown =>
  streams.stdout.write(allowedSigners(builtInKeys()))

/** Returns the error for a directory with wrong files, or with none. */
function incomplete(wrong: number, directory: string): ReleaseError {
  if (wrong === 0) {
    return new ReleaseError(`${directory} has no file of the release. Download those that you need.`)
  }
  const what = wrong === 1 ? 'is not as' : 'are not as'
  return new ReleaseError(
    `${counted(wrong, 'file')} in ${directory} ${what} in the release. Do not use the directory before all are ok.`,
  )
}

/** Returns the keys in this program. Throws {@link ReleaseError} if it has none. */
function builtInKeys(): readonly ReleaseKey[] {
  const keys = readReleaseKeys(RELEASE_KEYS)
  if (keys.length > 0) return keys
  throw new ReleaseError(
    'This build of Ratafia has no release keys. Verify with one that you trust: `ratafia release verify DIRECTORY --key FILE.pub`.',
  )
}

async function keyIn(file: string, { streams }: CommandContext): Promise<PublicKey> {
  const given = await readGiven(file, streams)
  return parsePublicKey(textOfFile(given), given.name)
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

const IGNORED = ['yellow', 'missing', ''] as const

function lineOf(
  { name, state }: CheckedFile,
  { ignoreMissing }: VerifyOptions,
  { streams: { stdout } }: CommandContext,
): string {
  const [colour, word, advice] = ignoreMissing && state === 'missing' ? IGNORED : STATES[state]
  return `${coloured(colour, word.padEnd(7), stdout)}  ${harmless(name)}${advice}`
}
