/** The decisions about many devices, which a job carries out. */
import type { DeviceStatus } from '../../devices/device.ts'
import type { DeviceFilters } from './filter-options.ts'

export interface BulkDecision {
  readonly kind: 'devices.approve' | 'devices.reject' | 'devices.revoke' | 'devices.release'
  /** The participle for the result, such as `approved`. */
  readonly decided: string
  /** The statuses to prefer if several rows have the same name. */
  readonly prefer: readonly DeviceStatus[]
  /** The devices that the decision is about, unless filters select a status. */
  readonly about: DeviceFilters
  /** A noun phrase for these devices. */
  readonly those: string
  readonly undoable: boolean
}

export const APPROVAL: BulkDecision = {
  ...{ kind: 'devices.approve', decided: 'approved', prefer: ['pending', 'rejected'] },
  ...{ about: { status: ['pending'] }, those: 'pending devices', undoable: true },
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
