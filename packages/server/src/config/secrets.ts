/** Where the secret keys come from, as the variables say it; `secret-key.ts` reads or makes the files. */
import { resolve } from 'node:path'
import type { ValuesOf } from './row.ts'
import type { STORAGE_VARIABLES } from './variables/storage.ts'

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
