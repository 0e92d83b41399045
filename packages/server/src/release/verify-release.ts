/** Verifies the files of a release: the signature first, then the version, then every hash. */
import { join } from 'node:path'
import { type CheckedFile, checkFiles, readSmallFile } from './check-files.ts'
import type { PublicKey } from './public-key.ts'
import { ReleaseError } from './release-error.ts'
import { RELEASE_NAMESPACE } from './release-keys.ts'
import { compareVersions, versionOfFiles } from './release-version.ts'
import { MAX_SIGNATURE_BYTES, parseSignature, verifySignature } from './signature.ts'
import { MAX_SUMS_BYTES, parseSums, SUMS, SUMS_SIGNATURE } from './sums.ts'

export interface VerifyOptions<Key extends PublicKey> {
  /** The keys that may have signed it. */
  readonly keys: readonly Key[]
  /** The version of this program, the oldest one that is accepted; undefined accepts every version. */
  readonly oldest: string | undefined
}

export interface VerifiedRelease<Key extends PublicKey> {
  readonly version: string
  /** The key that signed it. */
  readonly key: Key
  /** The state of each file. The release is complete only if all are `ok`. */
  readonly files: readonly CheckedFile[]
}

/** Throws {@link ReleaseError} for a bad signature, list or version, and the system's error for unreadable files. */
export async function verifyRelease<Key extends PublicKey>(
  directory: string,
  { keys, oldest }: VerifyOptions<Key>,
): Promise<VerifiedRelease<Key>> {
  const [sumsPath, signaturePath] = [join(directory, SUMS), join(directory, SUMS_SIGNATURE)]
  const text = await readSmallFile(sumsPath, MAX_SUMS_BYTES)
  const signature = parseSignature(await readSmallFile(signaturePath, MAX_SIGNATURE_BYTES), signaturePath)
  const signed = { message: Buffer.from(text, 'latin1'), name: sumsPath, namespace: RELEASE_NAMESPACE }
  const key = verifySignature(signature, signed, keys)
  const sums = parseSums(text, sumsPath)
  const version = versionOfFiles([...sums.keys()], sumsPath)
  if (oldest !== undefined && compareVersions(version, oldest) < 0) {
    throw new ReleaseError(
      `${directory} has the release ${version}, which is older than this program, ${oldest}. Older releases have faults that are known. Pass --older if you want this one.`,
    )
  }
  return { version, key, files: await checkFiles(directory, sums) }
}
