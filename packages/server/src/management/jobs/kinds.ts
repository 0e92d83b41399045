/** The kinds of job, a row each. A new kind is a new row. */
import type { JOB_KIND_NAMES } from '@ratafia/api/schemas'
import { anchorText, readAnchor, verifyAudit } from '../../audit/verify.ts'
import { requireForAll } from '../../authority.ts'
import { rejectDevice, releaseDevice, revokeDevice } from '../../devices/decide.ts'
import { type Device, showSerialName } from '../../devices/device.ts'
import { checkReason, deviceConflict } from '../../devices/find-device.ts'
import { approveDevice } from '../../devices/registration/approval/approve.ts'
import { invalidField } from '../../errors.ts'
import { revokeSession } from '../../tokens/administration/revoke-session.ts'
import { FILE_KINDS } from './files/kinds.ts'
import type { JobKind, Settings } from './job-kind.ts'

const withReason = (reason: string | undefined): Settings =>
  reason === undefined ? {} : { reason: checkReason(reason) }
const withoutReason = (reason: string | undefined): Settings => {
  if (reason === undefined) return {}
  throw invalidField('body/reason is not for a job of this kind.', { field: 'body/reason' })
}

/**
 * A filter for waiting devices does not include a device that is rejected before its turn comes, unless the request
 * names the status or the id. Throws `state-conflict`.
 */
function notRejectedSince(now: Device, { statuses }: Settings): void {
  if (now.status !== 'rejected' || statuses === undefined || statuses.split(' ').includes('rejected')) return
  throw deviceConflict(now, ' was rejected after the job was created.')
}

const JOB_KINDS = {
  'devices.approve': {
    needs: 'devices:decide',
    devices: true,
    recentPerson: false,
    settingsOf: withoutReason,
    act: async ({ subject: name, authority, dryRun, settings }, deps) => {
      const mustBeSeen = (now: Device) => notRejectedSince(now, settings)
      const { before, device } = await approveDevice({ name, authority, dryRun, mustBeSeen }, deps)
      return { before, ...(device.serial ? { takes: showSerialName(device) } : {}) }
    },
  },
  'devices.reject': {
    needs: 'devices:decide',
    devices: true,
    recentPerson: false,
    settingsOf: (reason) => {
      if (reason !== undefined) return withReason(reason)
      throw invalidField('body/reason is missing. The devices show it, so give one.', {
        field: 'body/reason',
      })
    },
    act: ({ subject: name, authority, settings: { reason = '' } }, deps) =>
      rejectDevice({ name, authority, reason }, deps),
  },
  'devices.revoke': {
    needs: 'devices:manage',
    devices: true,
    recentPerson: true,
    settingsOf: withReason,
    act: ({ subject: name, authority, settings: { reason } }, deps) =>
      revokeDevice({ name, authority, reason }, deps),
  },
  'devices.release': {
    needs: 'devices:manage',
    devices: true,
    recentPerson: false,
    settingsOf: withoutReason,
    act: ({ subject: name, authority }, deps) => releaseDevice({ name, authority }, deps),
  },
  'tokens.revoke': {
    needs: 'tokens:revoke',
    devices: false,
    recentPerson: true,
    settingsOf: withoutReason,
    act: ({ subject: sessionId, authority }, deps) => revokeSession({ sessionId, authority }, deps),
  },
  'audit.verify': {
    needs: 'audit:read',
    devices: false,
    recentPerson: false,
    settingsOf: () => {
      throw invalidField('POST /audit/verify creates jobs of this kind.', { field: 'body/kind' })
    },
    act: async ({ authority, settings: { expect } }, deps) => {
      requireForAll(authority, 'audit:read')
      const anchor = expect === undefined ? undefined : readAnchor(expect)
      const { verified, unlinked, end, broken } = await verifyAudit({ expect: anchor }, deps)
      const result = { verified, unlinked, ...(broken ? { broken_at: broken.seq } : {}) }
      return { before: false, result, says: [anchorText(end), broken?.why].filter(Boolean).join(' ') }
    },
  },
  ...FILE_KINDS,
} as const satisfies Record<JobKindName, JobKind>

export type JobKindName = (typeof JOB_KIND_NAMES)[number]

/** Returns undefined for a kind that this release does not know. */
export const jobKind = (name: string): JobKind | undefined =>
  Object.hasOwn(JOB_KINDS, name) ? JOB_KINDS[name as JobKindName] : undefined
