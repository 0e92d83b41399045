/** Requests to the management API. */
import { type Credential, json, subjectsOf } from './log-in.ts'
import { ASKED, BRAND } from './scene.ts'
import type { Request } from './wire.ts'

/** Approves the devices that wait. Refused if there are none, or if its account has two jobs already. */
export const makingJob = (by: Credential): Request => ({
  ...json(
    'make-job',
    '/api/management/v1/jobs',
    { kind: 'devices.approve', filter: { model: [`${BRAND}/${ASKED}`], status: ['pending'] } },
    by.headers,
  ),
  uses: subjectsOf(by),
})
