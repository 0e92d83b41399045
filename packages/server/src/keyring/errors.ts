/** The keys in the database cannot be used. Nothing a client sends causes this. The message says what to do. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError'
  readonly code: 'wrong-secret' | 'damaged-key'

  constructor(code: KeyringError['code'], message: string) {
    super(message)
    this.code = code
  }
}
