/** The works, in the order in which they run and are shown. */
import { packages } from '../packages/packages.ts'
import { connections } from './connections.ts'
import { costs } from './costs.ts'
import { exchanges } from './exchange.ts'
import { jobs } from './jobs.ts'
import { logins } from './login.ts'
import { memory } from './memory.ts'
import { partitions } from './partitions.ts'
import { peers } from './peers.ts'
import { registrations } from './registration.ts'
import { requests } from './requests.ts'
import { revocations } from './revocation.ts'
import { sessions } from './session.ts'
import { start } from './start.ts'
import { imports } from './tables/import.ts'
import { lists } from './tables/lists.ts'
import { register } from './tables/register.ts'
import { sizes } from './tables/sizes.ts'
import { verify } from './verify.ts'
import type { Work } from './work.ts'
import { workers } from './workers.ts'

export const WORKS: readonly Work[] = [
  verify,
  peers,
  requests,
  logins,
  jobs,
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
  lists,
  revocations,
  connections,
  costs,
  partitions,
]
