/** What a job can do, a row each. A new kind is a new row. */
import type { ManagementPermission } from '@ratafia/api'
import type { JOB_KIND_NAMES } from '@ratafia/api/schemas'
import type { Authority } from '../../authority.ts'
import type { ChangingBy } from '../../change.ts'
import { deviceConflict } from '../../devices/conflict.ts'
import { type Device, showSerialName } from '../../devices/device.ts'
import { checkReason } from '../../devices/reason.ts'
import { type ApprovalDeps, approveDevice } from '../../devices/registration/approval/approve.ts'
import { rejectDevice } from '../../devices/registration/approval/reject.ts'
import type { RegisterStores } from '../../devices/registration/register-stores.ts'
import { releaseDevice } from '../../devices/release.ts'
import { revokeDevice } from '../../devices/revoke.ts'
import { invalidField } from '../../errors.ts'
import { revokeSession, type SessionChangeDeps } from '../../tokens/administration/revoke-session.ts'
import type { SessionStore } from '../../tokens/session-store.ts'

export type Settings = Readonly<Record<string, string>>

export interface KindDeps extends Omit<ApprovalDeps, 'changeBy'>, Omit<SessionChangeDeps, 'changeBy'> {
  readonly changeBy: ChangingBy<ItemStores>
}

/** What the items of all kinds change. */
export type ItemStores = RegisterStores & { readonly tokenSessions: SessionStore }

interface Item {
  readonly subject: string
  readonly authority: Authority
  readonly settings: Settings
  readonly dryRun: boolean
}

interface Acted {
  /** It was so already. */
  readonly before: boolean
  /** What no later item can have: its serial number. */
  readonly takes?: string
}

export interface JobKind {
  readonly needs: ManagementPermission
  /** Whether its items are devices, which a filter can choose. */
  readonly devices: boolean
  /** Only for a person who signed in a short while ago: what it does cannot be undone (B10). */
  readonly recentPerson: boolean
  /** Throws `invalid-field`. */
  readonly settingsOf: (reason: string | undefined) => Settings
  /** Throws `RequestError` for an item that is refused, and `Unavailable`. */
  readonly act: (item: Item, deps: KindDeps) => Promise<Acted>
}

const withReason = (reason: string | undefined): Settings =>
  reason === undefined ? {} : { reason: checkReason(reason) }
const withoutReason = (reason: string | undefined): Settings => {
  if (reason === undefined) return {}
  throw invalidField('body/reason is not for a job of this kind.', { field: 'body/reason' })
}

/**
 * A filter for devices that wait chooses none that somebody rejects before its turn comes. Whoever names the status, or
 * the id, means it. Throws `state-conflict`.
 */
function notRejectedSince(now: Device, { statuses }: Settings): void {
  if (now.status !== 'rejected' || statuses === undefined || statuses.split(' ').includes('rejected')) return
  throw deviceConflict(now, ' was rejected after the job was made.')
}

export const JOB_KINDS = {
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
      throw invalidField('body/reason is missing: the devices show it.', { field: 'body/reason' })
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
} as const satisfies Record<JobKindName, JobKind>

export type JobKindName = (typeof JOB_KIND_NAMES)[number]

/** Undefined for a kind that this release does not know. */
export const jobKind = (name: string): JobKind | undefined =>
  Object.hasOwn(JOB_KINDS, name) ? JOB_KINDS[name as JobKindName] : undefined
