/** Where secrets come from, as the variables say it. */
import { resolve } from 'node:path'
import type { ValuesOf } from '../row.ts'
import type { STORAGE_VARIABLES } from '../variables/storage.ts'

/** A secret that is read and never made: `secret-text.ts` does it. */
export type SecretSource<T> =
  | { readonly from: 'variable'; readonly value: T }
  | {
      readonly from: 'file'
      readonly file: string
      /** The one to blame. */
      readonly variable: string
      /** Throws an `Error` whose message continues the file's name, and does not repeat the text. */
      readonly parse: (text: string) => T
    }

/** The secret key: `secret-key.ts` reads or makes its file. */
export type SecretConfig =
  | { readonly from: 'variable'; readonly key: Uint8Array }
  | {
      readonly from: 'file'
      readonly file: string
      /** The database whose keys it seals: the file is made as long as that does not exist. Undefined: never made. */
      readonly makeBefore: string | undefined
    }

/** The old secret key; a file may be missing, if the key is not being changed. */
export type PreviousSecretConfig =
  | { readonly from: 'variable'; readonly key: Uint8Array }
  | { readonly from: 'file'; readonly file: string }

type SecretValues = ValuesOf<typeof STORAGE_VARIABLES>

/** Without a variable: a file in the data directory, made before `databaseFile` is. */
export function secretOf(values: SecretValues, databaseFile: string): SecretConfig {
  const { RATAFIA_SECRET_KEY: key, RATAFIA_SECRET_KEY_FILE: file } = values
  if (key !== undefined) return { from: 'variable', key }
  if (file !== undefined) return { from: 'file', file, makeBefore: undefined }
  return { from: 'file', file: resolve(values.RATAFIA_DATA_DIR, 'secret.key'), makeBefore: databaseFile }
}

/** Without a variable: the file beside a key made in the data directory. Undefined if the key is the operator's own. */
export function previousSecretOf(values: SecretValues): PreviousSecretConfig | undefined {
  const { RATAFIA_PREVIOUS_SECRET_KEY: key, RATAFIA_PREVIOUS_SECRET_KEY_FILE: file } = values
  if (key !== undefined) return { from: 'variable', key }
  if (file !== undefined) return { from: 'file', file }
  if (values.RATAFIA_SECRET_KEY !== undefined || values.RATAFIA_SECRET_KEY_FILE !== undefined)
    return undefined
  return { from: 'file', file: resolve(values.RATAFIA_DATA_DIR, 'secret.key.previous') }
}
