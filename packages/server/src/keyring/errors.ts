import { Unavailable } from '../errors.ts'

/** The keys in the database can't be used, so a request could not be checked. No client can cause this. */
export class KeyringError extends Unavailable {
  override readonly name = 'KeyringError'
  readonly code: 'wrong-secret' | 'damaged-key'

  constructor(code: KeyringError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export const damagedKey = (what: string): KeyringError =>
  new KeyringError(
    'damaged-key',
    `${what} in the database was changed and cannot be used. Restore the row from a backup. ${OTHER_SECRET}`,
  )

/** The other possible cause: a sealed value does not show whether its row or the secret changed. */
export const OTHER_SECRET =
  'Or, if the secret key is being changed: the value is sealed under neither RATAFIA_SECRET_KEY nor ' +
  'RATAFIA_PREVIOUS_SECRET_KEY of this process.'
