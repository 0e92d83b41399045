/** The sources of secrets, from the variables. */
import { resolve } from 'node:path'
import type { ValuesOf } from '../row.ts'
import type { STORAGE_VARIABLES } from '../variables/storage.ts'

/** A secret that `secret-text.ts` reads and that is never created. */
export type SecretSource<T> =
  | { readonly from: 'variable'; readonly value: T }
  | {
      readonly from: 'file'
      readonly file: string
      /** The variable that messages name. */
      readonly variable: string
      /** Throws an `Error` whose message follows the file's name and does not repeat the text. */
      readonly parse: (text: string) => T
      /** Refuse a file that every user of the machine can read. Default: a warning. */
      readonly refuseOpen?: boolean
    }

/** The secret key, whose file `secret-key.ts` reads or creates. */
export type SecretConfig =
  | { readonly from: 'variable'; readonly key: Uint8Array }
  | {
      readonly from: 'file'
      readonly file: string
      /** The database whose keys it seals: the file is created only before it exists. Undefined to never create it. */
      readonly makeBefore: string | undefined
    }

/** The old secret key. Its file can be missing while the key is not being changed. */
export type PreviousSecretConfig =
  | { readonly from: 'variable'; readonly key: Uint8Array }
  | { readonly from: 'file'; readonly file: string }

type SecretValues = ValuesOf<typeof STORAGE_VARIABLES>

/** Returns the configured source or, by default, a file in the data directory, created before `databaseFile`. */
export function secretOf(values: SecretValues, databaseFile: string): SecretConfig {
  const { RATAFIA_SECRET_KEY: key, RATAFIA_SECRET_KEY_FILE: file } = values
  if (key !== undefined) return { from: 'variable', key }
  if (file !== undefined) return { from: 'file', file, makeBefore: undefined }
  return { from: 'file', file: resolve(values.RATAFIA_DATA_DIR, 'secret.key'), makeBefore: databaseFile }
}

/** Returns the configured source or, if the key is in the data directory by default, the file next to it. */
export function previousSecretOf(values: SecretValues): PreviousSecretConfig | undefined {
  const { RATAFIA_PREVIOUS_SECRET_KEY: key, RATAFIA_PREVIOUS_SECRET_KEY_FILE: file } = values
  if (key !== undefined) return { from: 'variable', key }
  if (file !== undefined) return { from: 'file', file }
  if (values.RATAFIA_SECRET_KEY !== undefined || values.RATAFIA_SECRET_KEY_FILE !== undefined)
    return undefined
  return { from: 'file', file: resolve(values.RATAFIA_DATA_DIR, 'secret.key.previous') }
}
