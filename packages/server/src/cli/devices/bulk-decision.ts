/** The decisions that a job takes about many devices, a row each. */
import type { DeviceStatus } from '../../devices/device.ts'
import type { DeviceFilters } from './filter-options.ts'

export interface BulkDecision {
  readonly kind: 'devices.approve' | 'devices.reject' | 'devices.revoke' | 'devices.release'
  /** What the devices are afterwards, such as `approved`. */
  readonly decided: string
  /** Which of several rows of one name is meant. */
  readonly prefer: readonly DeviceStatus[]
  /** Which devices it is about where filters say no more. */
  readonly about: DeviceFilters
  /** These in words. */
  readonly those: string
  readonly undoable: boolean
}

export const APPROVAL: BulkDecision = {
  ...{ kind: 'devices.approve', decided: 'approved', prefer: ['pending', 'rejected'] },
  ...{ about: { status: ['pending'] }, those: 'devices that wait', undoable: true },
}
export const REJECTION: BulkDecision = { ...APPROVAL, kind: 'devices.reject', decided: 'rejected' }
export const REVOCATION: BulkDecision = {
  ...{ kind: 'devices.revoke', decided: 'revoked', prefer: ['active', 'revoked'] },
  ...{ about: { status: ['active'] }, those: 'active devices', undoable: false },
}
export const RELEASE: BulkDecision = {
  ...{ kind: 'devices.release', decided: 'released', prefer: ['active'] },
  ...{ about: { quarantined: true }, those: 'devices in quarantine', undoable: true },
}
