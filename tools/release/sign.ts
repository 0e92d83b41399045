// npm run release:sign: signs the files of a release, on the machine of a maintainer. See --help.

import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkFiles, readSmallFile } from '../../packages/server/src/release/check-files.ts'
import { RELEASE_KEYS } from '../../packages/server/src/release/keys.ts'
import {
  fingerprintOf,
  type PublicKey,
  parsePublicKey,
} from '../../packages/server/src/release/public-key.ts'
import { ReleaseError } from '../../packages/server/src/release/release-error.ts'
import { RELEASE_NAMESPACE, readReleaseKeys } from '../../packages/server/src/release/release-keys.ts'
import { versionOfFiles } from '../../packages/server/src/release/release-version.ts'
import { parseSignature, verifySignature } from '../../packages/server/src/release/signature.ts'
import { MAX_SUMS_BYTES, parseSums, SUMS, SUMS_SIGNATURE } from '../../packages/server/src/release/sums.ts'
import { writeOfflineBundle } from './files/offline-bundle.ts'

const HELP = `Usage: npm run release:sign -- DIRECTORY --key FILE --compare DIRECTORY

Signs the files of a release: checks every file against SHA256SUMS, writes SHA256SUMS.sig with ssh-keygen, and packs all
of it into the offline bundle, next to DIRECTORY.

Options:
  --key <file>           your private key, or the .pub file of a key in the SSH agent or on a security key
  --compare <directory>  your own build of the same commit; refuses any difference
  --without-comparison   sign what you have not built yourself
  --unknown-key          sign with a key that is not in packages/server/src/release/keys.ts
  --help                 show this help

Exit codes: 0 signed, 1 refused, 2 wrong usage.
`

export interface SignOptions {
  /** The file of the key, for ssh-keygen. */
  readonly key: string
  /** The directory of a maintainer's own build; undefined compares nothing. */
  readonly compare: string | undefined
  /** Whether a key that is not in the program may sign. */
  readonly unknownKey?: boolean | undefined
  /** The path of ssh-keygen. Default: the one in `PATH`. */
  readonly sshKeygen?: string
  /** The keys in the program. */
  readonly keys: readonly PublicKey[]
}

/** Writes `SHA256SUMS.sig`. Returns the version, and a sentence about it. Throws {@link ReleaseError}, and then writes nothing. */
export async function signRelease(
  directory: string,
  { key: keyFile, compare, unknownKey = false, sshKeygen = 'ssh-keygen', keys }: SignOptions,
): Promise<{ readonly version: string; readonly said: string }> {
  const path = join(directory, SUMS)
  const signaturePath = join(directory, SUMS_SIGNATURE)
  if (existsSync(signaturePath)) {
    throw new ReleaseError(`${signaturePath} exists already. Remove it to sign again.`)
  }
  const text = await readSmallFile(path, MAX_SUMS_BYTES)
  const sums = parseSums(text, path)
  const version = versionOfFiles([...sums.keys()], path)
  if (compare !== undefined) await requireEqual(sums, directory, compare)
  const wrong = (await checkFiles(directory, sums)).filter(({ state }) => state !== 'ok')
  if (wrong.length > 0) {
    const each = wrong.map(({ name, state }) => `  ${name}: ${state}`)
    throw new ReleaseError(
      [`The files in ${directory} are not those that ${SUMS} lists:`, ...each].join('\n'),
    )
  }
  const message = Buffer.from(text, 'latin1')
  const signature = sshSignature(message, keyFile, sshKeygen)
  const unverified = parseSignature(signature, 'What ssh-keygen printed')
  const fingerprint = fingerprintOf(unverified.keyBlob)
  const isKnown = keys.some(({ blob }) => blob.equals(unverified.keyBlob))
  if (!isKnown && !unknownKey) {
    throw new ReleaseError(
      `${keyFile} (${fingerprint}) is not a release key of this program. Sign with one that is, or pass --unknown-key.`,
    )
  }
  const line = `${unverified.type} ${unverified.keyBlob.toString('base64')}`
  const signer = isKnown ? keys : [parsePublicKey(line, keyFile)]
  verifySignature(unverified, { message, name: path, namespace: RELEASE_NAMESPACE }, signer)
  writeFileSync(signaturePath, signature, { flag: 'wx' })
  const warning = isKnown ? '' : 'Warning: users need this key for `ratafia release verify --key`.\n'
  return { version, said: `${warning}Signed release ${version} with ${fingerprint}: ${signaturePath}\n` }
}

/** Throws {@link ReleaseError} with every difference from the maintainer's own build. */
async function requireEqual(sums: Sums, directory: string, ownDirectory: string): Promise<void> {
  if (realpathSync(directory) === realpathSync(ownDirectory)) {
    throw new ReleaseError(`${ownDirectory} is the directory to sign. Compare it with your own build.`)
  }
  const path = join(ownDirectory, SUMS)
  const own = parseSums(await readSmallFile(path, MAX_SUMS_BYTES), path)
  const differences = [...new Set([...sums.keys(), ...own.keys()])].sort().flatMap((name) => {
    if (sums.get(name) === own.get(name)) return []
    if (!own.has(name)) return [`  ${name}: only in ${directory}`]
    return [sums.has(name) ? `  ${name}: other content` : `  ${name}: only in ${ownDirectory}`]
  })
  if (differences.length === 0) return
  throw new ReleaseError(
    [`${directory} differs from your own build in ${ownDirectory}. Nothing is signed.`, ...differences].join(
      '\n',
    ),
  )
}

type Sums = ReadonlyMap<string, string>

/** Returns the armored signature over exactly these bytes. ssh-keygen asks for a passphrase, a PIN or a touch. */
function sshSignature(message: Uint8Array, keyFile: string, sshKeygen: string): string {
  const { status, stdout, error } = spawnSync(
    sshKeygen,
    ['-Y', 'sign', '-n', RELEASE_NAMESPACE, '-f', keyFile],
    { input: message, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] },
  )
  if (error !== undefined) {
    throw new ReleaseError(`ssh-keygen cannot be run: ${error.message}. Install OpenSSH.`)
  }
  if (status !== 0) throw new ReleaseError('ssh-keygen has not signed. Nothing is written.')
  return stdout
}

const MISSING = 'Pass one directory, --key, and either --compare with your own build or --without-comparison.'

if (import.meta.main) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        key: { type: 'string' },
        compare: { type: 'string' },
        'without-comparison': { type: 'boolean', default: false },
        'unknown-key': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
    const [directory, ...others] = positionals
    const { key, compare, help } = values
    if (help) process.stdout.write(HELP)
    else if (
      directory === undefined ||
      others.length > 0 ||
      key === undefined ||
      (compare === undefined) !== values['without-comparison']
    ) {
      process.stderr.write(`${MISSING}\n\n${HELP}`)
      process.exitCode = 2
    } else {
      const keys = readReleaseKeys(RELEASE_KEYS)
      const options = { key, compare, unknownKey: values['unknown-key'], keys }
      const { version, said } = await signRelease(directory, options)
      process.stdout.write(said)
      process.stdout.write(`Wrote the offline bundle: ${writeOfflineBundle(directory, version)}\n`)
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    // `parseArgs` throws a TypeError for unknown options.
    process.exitCode = error instanceof TypeError ? 2 : 1
  }
}
