/** A job that verifies the audit log: it reads all of it, which no request waits for. */
import { readAnchor } from '../../audit/verify.ts'
import { requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Job } from './job.ts'
import { addJob, type JobAuthority } from './make-job.ts'

interface Verification {
  /** The end that an earlier verification told. */
  readonly expect?: string | undefined
  readonly authority: JobAuthority
}

/** Throws `permission-denied`, `invalid-field`, and `TooManyRequests` for an account that has two jobs already. */
export async function makeVerification({ expect, authority }: Verification, deps: Stores): Promise<Job> {
  requireForAll(authority, 'audit:read')
  if (expect !== undefined && !readAnchor(expect)) {
    throw invalidField('body/expect is not an end of the log, such as 12:0f3a…', { field: 'body/expect' })
  }
  const settings = expect === undefined ? {} : { expect }
  const subjects = ['audit log']
  return addJob({ kind: 'audit.verify', state: 'queued', subjects, settings, authority }, deps)
}
