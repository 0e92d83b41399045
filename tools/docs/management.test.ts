// The management API, the commands, the audit log and the documentation agree.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MANAGEMENT_OPERATIONS, type ManagementOperation } from '../../packages/api/src/schemas.ts'
import { ACTIONS } from '../../packages/server/src/change.ts'
import { commandsByOperation, MANAGEMENT_PAGE, managementPage } from './management.ts'

const operations = Object.entries<ManagementOperation>(MANAGEMENT_OPERATIONS)

/** Operations that no command uses, each with the reason. */
const WITHOUT_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['exportJob', '`jobs items` lists the items'],
  ['accountIdentities', '`accounts link` works on the database, and no command lists identities'],
  ['accountSummaries', '`grants list`, `agents list` and `tokens list` show the same'],
  ['apiKey', '`api-keys list` shows each'],
  ['token', '`tokens list` shows each'],
  ['myToken', '`tokens list --mine` shows each'],
  ['myBrowsers', 'the console shows them'],
  ['endMyBrowser', 'the console uses it'],
  ['endMyBrowsers', 'the console uses it'],
  ['deviceHistory', '`audit list --subject` shows the same'],
  [
    'attention',
    '`devices counts`, `tokens list`, `signing-keys list`, `jobs list` and `status` show its parts',
  ],
  ['issuers', '`issuers list` works on the database; the console shows the issuers'],
  ['myPublishers', 'the console shows them; `publishers list` works on the database'],
  ['myPublisher', 'the console shows it; `publishers show` works on the database'],
  ['testMyPublisher', 'the console uses it; `publishers test` works on the database'],
  ['removeMyPublisher', 'the console uses it; `publishers remove` works on the database'],
])

/** Operations that are not GET and write no audit entry, each with the reason. */
const WITHOUT_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['createManagementRoot', 'no user has logged in yet'],
  ['explainToken', 'it only reads; it is a POST because a token must not be in a URL'],
  ['testMyPublisher', 'it only reads; it is a POST because an ID token must not be in a URL'],
  ['putJobPart', 'an incomplete file has no effect; the job has an entry'],
  ['startJob', 'the job has an entry for its creation, and gets one for its end'],
])

test('docs/management-api.md matches the operations (otherwise run `npm run docs:reference`)', async () => {
  assert.equal(readFileSync(MANAGEMENT_PAGE, 'utf8'), await managementPage())
})

test('every operation has a command, and every command names existing operations', async () => {
  const commands = await commandsByOperation()
  const names = new Set(operations.map(([name]) => name))
  assert.deepEqual(
    [...commands.keys()].filter((name) => !names.has(name)),
    [],
  )
  assert.deepEqual(
    [...names].filter((name) => !commands.has(name) && !WITHOUT_COMMANDS.has(name)),
    [],
  )
  assert.deepEqual(
    [...WITHOUT_COMMANDS.keys()].filter((name) => !names.has(name) || commands.has(name)),
    [],
  )
})

test('every operation that changes something writes known actions to the audit log', () => {
  const changes = operations.filter(([, { method }]) => method !== 'GET')
  assert.deepEqual(
    changes.filter(([name, { actions = [] }]) => actions.length === 0 && !WITHOUT_ACTIONS.has(name)),
    [],
  )
  for (const [name, { actions = [] }] of operations) {
    for (const action of actions) assert.ok(Object.hasOwn(ACTIONS, action), `${name}: ${action}`)
  }
})
