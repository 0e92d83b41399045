/** Devices in the management API. */
import { EmptyObjectSchema } from '../tokens.ts'
import { type ManagementOperation, SIGNED_IN } from './operation.ts'
import {
  ApproveSchema,
  DeviceActivitySchema,
  DeviceAssertionsSchema,
  DeviceCountsQuerySchema,
  DeviceCountsSchema,
  DeviceEvidenceSchema,
  DeviceRegistrationsSchema,
  DeviceSchema,
  DeviceSessionsSchema,
  DevicesQuerySchema,
  DevicesSchema,
  HistorySchema,
  NewestQuerySchema,
  RejectSchema,
  RevokeSchema,
} from './schemas.ts'

const NEWEST = {
  ...SIGNED_IN,
  method: 'GET',
  permission: 'devices:read',
  errors: ['no-such-record'],
  query: NewestQuerySchema,
} as const
const DECIDING = {
  ...SIGNED_IN,
  method: 'POST',
  errors: ['no-such-record', 'state-conflict', 'version-mismatch'],
  response: DeviceSchema,
  record: true,
} as const

export const DEVICE_OPERATIONS = {
  devices: {
    ...SIGNED_IN,
    method: 'GET',
    path: '/devices',
    summary: 'The devices that fit all filters; of a filter that repeats, they fit one',
    description:
      'A page looks at 20,000 rows at most. It may be short or empty and have `next` all the same: go on with it.',
    permission: 'devices:read',
    errors: [],
    query: DevicesQuerySchema,
    response: DevicesSchema,
  },
  deviceCounts: {
    ...SIGNED_IN,
    method: 'GET',
    path: '/devices/counts',
    summary: 'How many devices there are, by brand, model and status',
    description:
      'Counted again each minute. Those that wait for approval, or are in quarantine, are counted when you ask.',
    permission: 'devices:read',
    errors: [],
    query: DeviceCountsQuerySchema,
    response: DeviceCountsSchema,
  },
  device: {
    ...SIGNED_IN,
    method: 'GET',
    path: '/devices/:id',
    summary: 'One device',
    permission: 'devices:read',
    errors: ['no-such-record'],
    response: DeviceSchema,
    record: true,
  },
  deviceSessions: {
    ...NEWEST,
    path: '/devices/:id/sessions',
    summary: 'The newest sessions of a device',
    response: DeviceSessionsSchema,
  },
  deviceRegistrations: {
    ...NEWEST,
    path: '/devices/:id/registrations',
    summary: 'When and from where a device asked for its serial, newest first',
    response: DeviceRegistrationsSchema,
  },
  deviceAssertions: {
    ...NEWEST,
    path: '/devices/:id/assertions',
    summary: 'The serial assertions of a device, by revision',
    response: DeviceAssertionsSchema,
  },
  deviceEvidence: {
    ...NEWEST,
    path: '/devices/:id/evidence',
    summary: 'What was seen of clones of a device, last seen first',
    response: DeviceEvidenceSchema,
  },
  deviceActivity: {
    ...SIGNED_IN,
    method: 'GET',
    path: '/devices/:id/activity',
    summary: 'When and where a device was last seen',
    permission: 'devices:read',
    errors: ['no-such-record'],
    response: DeviceActivitySchema,
  },
  deviceHistory: {
    ...NEWEST,
    path: '/devices/:id/history',
    summary: 'What the audit log has about a device, newest first',
    response: HistorySchema,
  },
  approveDevice: {
    ...DECIDING,
    path: '/devices/:id/approve',
    summary: 'Gives a waiting or rejected device its serial',
    permission: 'devices:decide',
    body: ApproveSchema,
    actions: ['device.approve'],
  },
  rejectDevice: {
    ...DECIDING,
    path: '/devices/:id/reject',
    summary: 'Refuses a waiting device, and tells it why',
    permission: 'devices:decide',
    body: RejectSchema,
    bodyRequired: true,
    actions: ['device.reject'],
  },
  revokeDevice: {
    ...DECIDING,
    path: '/devices/:id/revoke',
    summary: 'Ends a device and its sessions for good; nobody else gets its serial',
    permission: 'devices:manage',
    body: RevokeSchema,
    actions: ['device.revoke'],
  },
  releaseDevice: {
    ...DECIDING,
    path: '/devices/:id/release',
    summary: 'Lets a device out of quarantine',
    permission: 'devices:manage',
    body: EmptyObjectSchema,
    actions: ['device.release'],
  },
} as const satisfies Record<string, ManagementOperation>
