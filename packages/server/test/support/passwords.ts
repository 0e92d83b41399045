/** The real hash of passwords at the lowest cost, because most tests are not about what it costs. */
import { createPasswordHasher, type PasswordHasher } from '../../src/accounts/passwords/password-hasher.ts'

export const cheapPasswords = (): PasswordHasher =>
  createPasswordHasher({ parameters: { ln: 1, r: 1, p: 1 } })
