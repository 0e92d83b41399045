/** The works, in the order in which they run and are shown. */
import { logins } from './login.ts'
import { registrations } from './registration.ts'
import { sessions } from './session.ts'
import { verify } from './verify.ts'
import type { Work } from './work.ts'

export const WORKS: readonly Work[] = [verify, logins, sessions, registrations]
