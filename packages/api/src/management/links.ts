/** Which operation of the management API comes next, and what of an answer it needs. */
import type { MANAGEMENT_OPERATIONS } from './operations.ts'

type OperationId = keyof typeof MANAGEMENT_OPERATIONS

interface Link {
  readonly operationId: OperationId
  readonly description: string
  /** Of its path. */
  readonly parameters: Readonly<Record<string, string>>
}

type Links = Readonly<Record<string, Link>>

const link = (operationId: OperationId, pointer: string, description: string): Link => ({
  operationId,
  description,
  parameters: { 'path.id': `$response.body#${pointer}` },
})

const JOB_LINKS: Links = {
  Job: link('job', '/id', 'How far the job is'),
  Items: link('jobItems', '/id', 'What became of each record'),
  Cancel: link('cancelJob', '/id', 'Ends the job'),
}

/** By operation and status. */
export const MANAGEMENT_LINKS: { readonly [Id in OperationId]?: Readonly<Record<number, Links>> } = {
  devices: {
    200: {
      Device: link('device', '/devices/0/id', 'The first device alone'),
      History: link('deviceHistory', '/devices/0/id', 'What happened to it'),
      Assertions: link('deviceAssertions', '/devices/0/id', 'Its serial assertions'),
      Approve: link('approveDevice', '/devices/0/id', 'Gives it its serial, if it waits'),
    },
  },
  approveDevice: {
    200: { Device: link('device', '/id', 'The device'), Revoke: link('revokeDevice', '/id', 'Ends it') },
  },
  grants: { 200: { Remove: link('removeGrant', '/grants/0/id', 'Takes the first role') } },
  addGrant: { 201: { Remove: link('removeGrant', '/id', 'Takes the role again') } },
  makeJob: { 200: JOB_LINKS, 202: JOB_LINKS },
  jobs: { 200: { Job: link('job', '/jobs/0/id', 'How far the newest job is') } },
}
