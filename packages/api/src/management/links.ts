/** Links from an answer of the management API to the operations that come next. */
import type { MANAGEMENT_OPERATIONS } from './operations.ts'

type OperationId = keyof typeof MANAGEMENT_OPERATIONS

interface Link {
  readonly operationId: OperationId
  readonly description: string
  /** The parameters of its path. */
  readonly parameters: Readonly<Record<string, string>>
}

type Links = Readonly<Record<string, Link>>

const link = (operationId: OperationId, pointer: string, description: string): Link => ({
  operationId,
  description,
  parameters: { 'path.id': `$response.body#${pointer}` },
})

const JOB_LINKS: Links = {
  Job: link('job', '/id', 'Returns the progress of the job'),
  Items: link('jobItems', '/id', 'Lists the outcome of each record'),
  Cancel: link('cancelJob', '/id', 'Cancels the job'),
}

/** The links by operation and status. */
export const MANAGEMENT_LINKS: { readonly [Id in OperationId]?: Readonly<Record<number, Links>> } = {
  devices: {
    200: {
      Device: link('device', '/devices/0/id', 'Returns the first device'),
      History: link('deviceHistory', '/devices/0/id', 'Lists its history'),
      Assertions: link('deviceAssertions', '/devices/0/id', 'Lists its serial assertions'),
      Approve: link('approveDevice', '/devices/0/id', 'Approves it if it waits'),
    },
  },
  approveDevice: {
    200: {
      Device: link('device', '/id', 'Returns the device'),
      Revoke: link('revokeDevice', '/id', 'Revokes it'),
    },
  },
  grants: { 200: { Remove: link('removeGrant', '/grants/0/id', 'Removes the first role') } },
  addGrant: { 201: { Remove: link('removeGrant', '/id', 'Removes the role again') } },
  makeJob: { 200: JOB_LINKS, 202: JOB_LINKS },
  jobs: { 200: { Job: link('job', '/jobs/0/id', 'Returns the progress of the newest job') } },
}
