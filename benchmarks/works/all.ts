/** The works, in the order in which they run and are shown. */
import { connections } from './connections.ts'
import { costs } from './costs.ts'
import { exchanges } from './exchange.ts'
import { imports } from './import.ts'
import { logins } from './login.ts'
import { memory } from './memory.ts'
import { packages } from './packages.ts'
import { peers } from './peers.ts'
import { register } from './register.ts'
import { registrations } from './registration.ts'
import { requests } from './requests.ts'
import { revocations } from './revocation.ts'
import { sessions } from './session.ts'
import { sizes } from './sizes.ts'
import { start } from './start.ts'
import { verify } from './verify.ts'
import type { Work } from './work.ts'
import { workers } from './workers.ts'

export const WORKS: readonly Work[] = [
  verify,
  peers,
  requests,
  logins,
  exchanges,
  sessions,
  registrations,
  sizes,
  workers,
  memory,
  start,
  packages,
  imports,
  register,
  revocations,
  connections,
  costs,
]
