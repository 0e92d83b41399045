/** Requests to the management API. */
import { type Credential, json, subjectsOf } from './log-in.ts'
import { ASKED, BRAND } from './scene.ts'
import type { Request } from './wire.ts'

const MANAGEMENT = '/api/management/v1'

/** Approves the devices that wait. Refused if there are none, or if its account has two jobs already. */
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

/** Gives its own account a role that only an operator gives. */
export const givingItselfRole = (by: Credential): Request => ({
  ...json('add-grant', `${MANAGEMENT}/grants`, { account: by.person.username, role: 'operator' }, by.headers),
  ...{ uses: subjectsOf(by), forbidden: true },
})
