/** Devices in the management API. */
import { EmptyObjectSchema } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  ApproveSchema,
  CloneEvidenceListSchema,
  CloneEvidenceQuerySchema,
  DeviceActivitySchema,
  DeviceAssertionsSchema,
  DeviceCountsQuerySchema,
  DeviceCountsSchema,
  DeviceEvidenceSchema,
  DeviceRegistrationsSchema,
  DeviceSchema,
  DeviceSessionsSchema,
  DevicesExportQuerySchema,
  DevicesQuerySchema,
  DevicesSchema,
  HistorySchema,
  NewestQuerySchema,
  RejectSchema,
  RevokeSchema,
} from '../schemas/index.ts'

const NEWEST = {
  ...SIGNED_IN,
  permission: 'devices:read',
  errors: ['no-such-record'],
  query: NewestQuerySchema,
} as const
const DECIDING = {
  ...SIGNED_IN,
  errors: ['no-such-record', 'state-conflict', 'version-mismatch'],
  response: DeviceSchema,
  record: true,
} as const

export const DEVICE_OPERATIONS = {
  devices: {
    ...MANAGEMENT_ROUTES.devices,
    ...SIGNED_IN,
    summary: 'Lists the devices that match all filters; a repeated filter matches any of its values',
    description:
      'A page reads at most 20,000 rows. It may be short or empty and still have `next`: continue with it.',
    permission: 'devices:read',
    errors: [],
    query: DevicesQuerySchema,
    response: DevicesSchema,
  },
  deviceCounts: {
    ...MANAGEMENT_ROUTES.deviceCounts,
    ...SIGNED_IN,
    summary: 'Counts the devices, by brand, model and status',
    description:
      'Updated every minute. Devices that wait for approval or are in quarantine are counted when you ask.',
    permission: 'devices:read',
    errors: [],
    query: DeviceCountsQuerySchema,
    response: DeviceCountsSchema,
  },
  exportDevices: {
    ...MANAGEMENT_ROUTES.exportDevices,
    ...SIGNED_IN,
    summary: 'Exports all matching devices as a file',
    description:
      'Each line is a record: as in lists, or with `whole` as an import accepts it. CSV begins with a line of names. The response is streamed without a length: a transfer that breaks off is not a complete file. With `Accept-Encoding: gzip` it is compressed.',
    permission: 'devices:read',
    errors: [],
    query: DevicesExportQuerySchema,
    response: Type.String(),
    streams: ['application/x-ndjson', 'text/csv; charset=utf-8'],
    actions: ['devices.export'],
  },
  cloneEvidence: {
    ...MANAGEMENT_ROUTES.cloneEvidence,
    ...SIGNED_IN,
    summary: 'Lists evidence of clones by device, newest evidence first',
    description:
      'Evidence matches all filters; a repeated filter matches any of its values. A page has the evidence of at most 100 devices. It may be short or even empty and still have `next`: continue with it.',
    permission: 'devices:read',
    errors: [],
    query: CloneEvidenceQuerySchema,
    response: CloneEvidenceListSchema,
  },
  device: {
    ...MANAGEMENT_ROUTES.device,
    ...SIGNED_IN,
    summary: 'Returns a device',
    permission: 'devices:read',
    errors: ['no-such-record'],
    response: DeviceSchema,
    record: true,
  },
  deviceSessions: {
    ...MANAGEMENT_ROUTES.deviceSessions,
    ...NEWEST,
    summary: 'Lists the newest sessions of a device',
    response: DeviceSessionsSchema,
  },
  deviceRegistrations: {
    ...MANAGEMENT_ROUTES.deviceRegistrations,
    ...NEWEST,
    summary: 'Lists when and from where a device requested its serial, newest first',
    response: DeviceRegistrationsSchema,
  },
  deviceAssertions: {
    ...MANAGEMENT_ROUTES.deviceAssertions,
    ...NEWEST,
    summary: 'Lists the serial assertions of a device, by revision',
    response: DeviceAssertionsSchema,
  },
  deviceEvidence: {
    ...MANAGEMENT_ROUTES.deviceEvidence,
    ...NEWEST,
    summary: 'Lists the evidence of clones of a device, last seen first',
    response: DeviceEvidenceSchema,
  },
  deviceActivity: {
    ...MANAGEMENT_ROUTES.deviceActivity,
    ...SIGNED_IN,
    summary: 'Returns when and where a device was last seen',
    permission: 'devices:read',
    errors: ['no-such-record'],
    response: DeviceActivitySchema,
  },
  deviceHistory: {
    ...MANAGEMENT_ROUTES.deviceHistory,
    ...NEWEST,
    summary: 'Lists the audit log entries about a device, newest first',
    response: HistorySchema,
  },
  approveDevice: {
    ...MANAGEMENT_ROUTES.approveDevice,
    ...DECIDING,
    summary: 'Approves a pending or rejected device, which gets its serial',
    permission: 'devices:decide',
    body: ApproveSchema,
    actions: ['device.approve'],
  },
  rejectDevice: {
    ...MANAGEMENT_ROUTES.rejectDevice,
    ...DECIDING,
    summary: 'Rejects a pending device; the device shows the reason',
    permission: 'devices:decide',
    body: RejectSchema,
    bodyRequired: true,
    actions: ['device.reject'],
  },
  revokeDevice: {
    ...MANAGEMENT_ROUTES.revokeDevice,
    ...DECIDING,
    summary: 'Revokes a device and its sessions permanently; no other device can get its serial',
    permission: 'devices:manage',
    body: RevokeSchema,
    actions: ['device.revoke'],
  },
  releaseDevice: {
    ...MANAGEMENT_ROUTES.releaseDevice,
    ...DECIDING,
    summary: 'Releases a device from quarantine',
    permission: 'devices:manage',
    body: EmptyObjectSchema,
    actions: ['device.release'],
  },
} as const satisfies Record<string, ManagementOperation>
