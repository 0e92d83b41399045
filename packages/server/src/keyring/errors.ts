import { Unavailable } from '../errors.ts'

/**
 * The keys in the database cannot be used. Nothing a client sends causes this, and nothing is known about what it
 * sent: it could not be checked. The message says what to do.
 */
export class KeyringError extends Unavailable {
  override readonly name = 'KeyringError'
  readonly code: 'wrong-secret' | 'damaged-key'

  constructor(code: KeyringError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** What else it may be than a change of the row: a sealed value tells neither from the other. */
export const OTHER_SECRET =
  'If the secret key is being changed: this process has neither the key it is sealed under in RATAFIA_SECRET_KEY ' +
  'nor in RATAFIA_PREVIOUS_SECRET_KEY.'
