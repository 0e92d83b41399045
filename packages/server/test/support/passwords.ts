/** Returns the real password hasher with the lowest cost, because most tests do not depend on the cost. */
import { createPasswordHasher, type PasswordHasher } from '../../src/accounts/passwords/password-hasher.ts'

export const cheapPasswords = (): PasswordHasher =>
  createPasswordHasher({ parameters: { ln: 1, r: 1, p: 1 } })
