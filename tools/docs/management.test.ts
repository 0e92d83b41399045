// The management API, the commands, the audit log and the documentation say the same.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MANAGEMENT_OPERATIONS, type ManagementOperation } from '../../packages/api/src/schemas.ts'
import { ACTIONS } from '../../packages/server/src/change.ts'
import { commandsByOperation, MANAGEMENT_PAGE, managementPage } from './management.ts'

const operations = Object.entries<ManagementOperation>(MANAGEMENT_OPERATIONS)

/** No command uses them, for the reason beside each. */
const WITHOUT_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['exportJob', '`jobs items` lists them'],
  ['accountIdentities', '`accounts link` works on the database, and no command lists them'],
  ['accountSummaries', '`grants list`, `agents list` and `tokens list` have it'],
  ['apiKey', '`api-keys list` shows each'],
  ['token', '`tokens list` shows each'],
  ['myToken', '`tokens list --mine` shows each'],
  ['myBrowsers', 'the console shows them'],
  ['endMyBrowser', 'the console does'],
  ['endMyBrowsers', 'the console does'],
  ['deviceHistory', '`audit list --subject` has it'],
  [
    'attention',
    '`devices counts`, `tokens list`, `signing-keys list`, `jobs list` and `status` have its parts',
  ],
  ['issuers', '`issuers list` works on the database; the console shows those there are'],
  ['myPublishers', 'the console shows them; `publishers list` works on the database'],
  ['myPublisher', 'the console shows it; `publishers show` works on the database'],
  ['testMyPublisher', 'the console does; `publishers test` works on the database'],
  ['removeMyPublisher', 'the console does; `publishers remove` works on the database'],
])

/** They change something, and the audit log says so elsewhere or not at all, for the reason beside each. */
const WITHOUT_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['createManagementRoot', 'nobody has logged in yet'],
  ['explainToken', 'it changes nothing: a token belongs in no address'],
  ['testMyPublisher', 'it changes nothing: an ID token belongs in no address'],
  ['putJobPart', 'a file that is not whole changes nothing: the job has an entry'],
  ['startJob', 'the job has an entry since it was made, and gets one when it ends'],
])

test('docs/management-api.md is in step with the operations: run `npm run docs:reference`', async () => {
  assert.equal(readFileSync(MANAGEMENT_PAGE, 'utf8'), await managementPage())
})

test('every operation has a command, and every command names operations that are there', async () => {
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

test('every change writes into the audit log, and what it writes is a known action', () => {
  const changes = operations.filter(([, { method }]) => method !== 'GET')
  assert.deepEqual(
    changes.filter(([name, { actions = [] }]) => actions.length === 0 && !WITHOUT_ACTIONS.has(name)),
    [],
  )
  for (const [name, { actions = [] }] of operations) {
    for (const action of actions) assert.ok(Object.hasOwn(ACTIONS, action), `${name}: ${action}`)
  }
})
