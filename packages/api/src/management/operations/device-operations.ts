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
    summary: 'The devices that fit all filters; of a filter that repeats, they fit one',
    description:
      'A page looks at 20,000 rows at most. It may be short or empty and have `next` all the same: go on with it.',
    permission: 'devices:read',
    errors: [],
    query: DevicesQuerySchema,
    response: DevicesSchema,
  },
  deviceCounts: {
    ...MANAGEMENT_ROUTES.deviceCounts,
    ...SIGNED_IN,
    summary: 'How many devices there are, by brand, model and status',
    description:
      'Counted again each minute. Those that wait for approval, or are in quarantine, are counted when you ask.',
    permission: 'devices:read',
    errors: [],
    query: DeviceCountsQuerySchema,
    response: DeviceCountsSchema,
  },
  exportDevices: {
    ...MANAGEMENT_ROUTES.exportDevices,
    ...SIGNED_IN,
    summary: 'All devices that fit, as a file',
    description:
      'A record on each line, as lists have them, or with `whole` as an import takes them; CSV begins with a line of names. It is sent while it is read, without a length: a transfer that breaks off is no whole file. With `Accept-Encoding: gzip` it is compressed.',
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
    summary: 'Evidence of clones, by device: the one with the newest evidence first',
    description:
      'All filters must hold; of one that is repeated, one must. A page has the evidence of 100 devices at most. It may be short, and even empty, and have `next` all the same: go on with it.',
    permission: 'devices:read',
    errors: [],
    query: CloneEvidenceQuerySchema,
    response: CloneEvidenceListSchema,
  },
  device: {
    ...MANAGEMENT_ROUTES.device,
    ...SIGNED_IN,
    summary: 'One device',
    permission: 'devices:read',
    errors: ['no-such-record'],
    response: DeviceSchema,
    record: true,
  },
  deviceSessions: {
    ...MANAGEMENT_ROUTES.deviceSessions,
    ...NEWEST,
    summary: 'The newest sessions of a device',
    response: DeviceSessionsSchema,
  },
  deviceRegistrations: {
    ...MANAGEMENT_ROUTES.deviceRegistrations,
    ...NEWEST,
    summary: 'When and from where a device asked for its serial, newest first',
    response: DeviceRegistrationsSchema,
  },
  deviceAssertions: {
    ...MANAGEMENT_ROUTES.deviceAssertions,
    ...NEWEST,
    summary: 'The serial assertions of a device, by revision',
    response: DeviceAssertionsSchema,
  },
  deviceEvidence: {
    ...MANAGEMENT_ROUTES.deviceEvidence,
    ...NEWEST,
    summary: 'What was seen of clones of a device, last seen first',
    response: DeviceEvidenceSchema,
  },
  deviceActivity: {
    ...MANAGEMENT_ROUTES.deviceActivity,
    ...SIGNED_IN,
    summary: 'When and where a device was last seen',
    permission: 'devices:read',
    errors: ['no-such-record'],
    response: DeviceActivitySchema,
  },
  deviceHistory: {
    ...MANAGEMENT_ROUTES.deviceHistory,
    ...NEWEST,
    summary: 'What the audit log has about a device, newest first',
    response: HistorySchema,
  },
  approveDevice: {
    ...MANAGEMENT_ROUTES.approveDevice,
    ...DECIDING,
    summary: 'Gives a waiting or rejected device its serial',
    permission: 'devices:decide',
    body: ApproveSchema,
    actions: ['device.approve'],
  },
  rejectDevice: {
    ...MANAGEMENT_ROUTES.rejectDevice,
    ...DECIDING,
    summary: 'Refuses a waiting device, and tells it why',
    permission: 'devices:decide',
    body: RejectSchema,
    bodyRequired: true,
    actions: ['device.reject'],
  },
  revokeDevice: {
    ...MANAGEMENT_ROUTES.revokeDevice,
    ...DECIDING,
    summary: 'Ends a device and its sessions for good; nobody else gets its serial',
    permission: 'devices:manage',
    body: RevokeSchema,
    actions: ['device.revoke'],
  },
  releaseDevice: {
    ...MANAGEMENT_ROUTES.releaseDevice,
    ...DECIDING,
    summary: 'Lets a device out of quarantine',
    permission: 'devices:manage',
    body: EmptyObjectSchema,
    actions: ['device.release'],
  },
} as const satisfies Record<string, ManagementOperation>
