/** Requests to the management API. */
import { type Credential, json, subjectsOf } from './log-in.ts'
import { ASKED, BRAND } from './scene.ts'
import type { Request } from './wire.ts'

const MANAGEMENT = '/api/management/v1'

/** Returns a request that approves all pending devices. It is refused without any, or if the account has two jobs. */
export const makingJob = (by: Credential, idempotencyKey: string): Request => ({
  ...json(
    'make-job',
    `${MANAGEMENT}/jobs`,
    { kind: 'devices.approve', filter: { model: [`${BRAND}/${ASKED}`], status: ['pending'] } },
    { ...by.headers, 'idempotency-key': idempotencyKey },
  ),
  ...{ uses: subjectsOf(by), success: 202 },
  proves: (body) => {
    const { id: job } = JSON.parse(body)
    return { job, once: { text: `Idempotency-Key ${idempotencyKey}`, request: 'a job', result: job } }
  },
})

/** Returns a request in which an account grants itself a role that only an operator can grant. */
export const givingItselfRole = (by: Credential): Request => ({
  ...json('add-grant', `${MANAGEMENT}/grants`, { account: by.person.username, role: 'operator' }, by.headers),
  ...{ uses: subjectsOf(by), forbidden: true },
})
