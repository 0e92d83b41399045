/**
 * Guarantee: stores announce their changes by themselves, in the transaction of the change. So nodes receive
 * them on PostgreSQL even where triggers do not reach other nodes, as on a table that Citus distributes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newAccountId, newSessionId } from '@ratafia/api'
import { sql } from 'kysely'
import { checkUsername } from '../../src/accounts/account-fields.ts'
import { wholeDatabaseStore } from '../../src/backup/whole-database-store.ts'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { ChangeListener } from '../../src/database/changes/change-listener.ts'
import {
  CHANGE_CHANNEL,
  CHANGE_KINDS,
  parseChange,
  type RowChange,
} from '../../src/database/changes/row-change.ts'
import { type Database, inTransaction } from '../../src/database/index.ts'
import { triggerNames } from '../../src/database/schema/migrated-names.ts'
import type { Device } from '../../src/devices/device.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import {
  createKeyPairStore,
  createRootKeyStore,
  newKeyPair,
  newRootKey,
} from '../../src/keyring/key-store.ts'
import { sealedValueStore } from '../../src/keyring/sealed-value-store.ts'
import { createSealer } from '../../src/keyring/sealing.ts'
import { recordingOn } from '../../src/start/changing.ts'
import { storesOn } from '../../src/start/stores.ts'
import { TESTER } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { openingOf } from '../support/openings.ts'

const at = new Date('2026-11-23T10:00:00.000Z')
const end = new Date('2126-11-23T10:00:00.000Z')
const [anna, bob, carl, dora] = ['anna', 'bob', 'carl', 'dora'].map((name) => ({
  ...{
    id: newAccountId(),
    username: checkUsername(name),
    email: '',
    name,
    passwordHash: undefined,
    createdAt: at,
  },
})) as [NewPerson, NewPerson, NewPerson, NewPerson]
type NewPerson = Parameters<Stores['accounts']['insert']>[0]

const sessions = [newSessionId(), newSessionId(), newSessionId()] as const
/** A session that a CI job opened through a rule. */
const ofRule = newSessionId()
const opening = (id: typeof ofRule, accountId: NewPerson['id']) =>
  openingOf({ id, accountId, description: undefined, validSince: at, validUntil: end }, at)
const identity = { issuer: 'https://id.example', subject: 'anna' }
const agent = (name: string, { id }: NewPerson) => ({
  ...{ name, accountId: id, publicKey: Buffer.from(name), limits: null, createdAt: at },
})

const brand = { accountId: 'acme', displayName: 'Acme', addedAt: at }
const signingKey = { keyId: 'key', accountId: 'acme', sealed: Buffer.from('key'), addedAt: at }
const long = 'x'.repeat(8_000)
const [mini, maxi] = [
  { brandId: 'acme', model: 'mini' },
  { brandId: 'acme', model: 'maxi' },
] as const
const model = { policy: { ...DEFAULT_POLICY, registration: 'auto' }, addedAt: at } as const
const apiKey = (id: string) => ({
  ...{ ...mini, id, label: '', createdAt: at, expiresAt: null, useLimit: null, uses: 0 },
  ...{ lastUsedAt: null, revokedAt: null },
})
const assertion = (revision: number) => ({
  ...{ type: 'model', primaryKey: '16/acme/mini', revision, encoded: Buffer.from('text') },
})
const [first, second] = ['key-1', 'key-2'].map((deviceKeyId) =>
  newDevice({
    ...{ ...maxi, deviceKeyId, serial: `serial of ${deviceKeyId}`, status: 'active', revision: 0 },
    ...{ origin: 'session', registeredAt: at },
  }),
) as [Device, Device]
const decision = { at, by: 'operator', reason: null }
const viewer = {
  ...({ accountId: anna.id, role: 'viewer', brandId: 'acme' } as const),
  ...{ grantedAt: at, grantedBy: 'operator', expiresAt: undefined, agents: [] },
} as const
const root = { type: 'account', primaryKey: 'own', accountId: 'own', encoded: Buffer.from('text') }
const sealer = createSealer({ current: Buffer.alloc(32, 7) })

type Stores = ReturnType<typeof allOn>
const allOn = (on: Pick<Database, 'query'>) => ({
  ...storesOn(on),
  rootKeys: createRootKeyStore(on, sealer),
  keyPairs: createKeyPairStore(on, sealer),
})

/** The result of operations that announce nothing. Some only create the rows that later ones change. */
const QUIET: readonly string[] = []

/** Run in this order. The last element lists the changes that another client receives. */
const OPERATIONS: readonly (readonly [
  title: string,
  work: (on: Stores) => Promise<unknown>,
  heard: readonly string[],
])[] = [
  [
    'accounts.insert',
    async ({ accounts }) => {
      for (const person of [anna, bob]) await accounts.insert(person)
    },
    QUIET,
  ],
  ['accounts.insertIdentity', ({ accounts }) => accounts.insertIdentity(identity, anna.id, at), QUIET],
  [
    'accounts.insertWithIdentity of a known identity',
    ({ accounts }) => accounts.insertWithIdentity(carl, identity),
    [`account ${carl.id}`],
  ],
  [
    'tokenSessions.open',
    async ({ tokenSessions }) => {
      for (const [which, id] of sessions.entries())
        await tokenSessions.open(opening(id, which === 0 ? anna.id : bob.id))
    },
    QUIET,
  ],
  [
    'tokenSessions.revoke',
    ({ tokenSessions }) => tokenSessions.revoke({ id: sessions[0], at, by: 'anna' }),
    [`token-session ${sessions[0]}`],
  ],
  [
    'tokenSessions.revoke again',
    ({ tokenSessions }) => tokenSessions.revoke({ id: sessions[0], at, by: 'anna' }),
    QUIET,
  ],
  [
    'tokenSessions.revokeOfRules',
    ({ tokenSessions }) => tokenSessions.revokeOfRules(['rule', 'other'], { at, by: 'operator' }),
    [`token-session ${ofRule}`],
  ],
  [
    'tokenSessions.revokeOfRules again',
    ({ tokenSessions }) => tokenSessions.revokeOfRules(['rule'], { at, by: 'operator' }),
    QUIET,
  ],
  ['accounts.disable', ({ accounts }) => accounts.disable(anna.id, at), [`account ${anna.id}`]],
  ['accounts.enable', ({ accounts }) => accounts.enable(anna.id), [`account ${anna.id}`]],
  ['accounts.endLogins', ({ accounts }) => accounts.endLogins(anna.id, at), [`account ${anna.id}`]],
  [
    'accounts.setPasswordHash',
    ({ accounts }) => accounts.setPasswordHash(anna.id, 'HASH'),
    [`account ${anna.id}`],
  ],
  [
    'accounts.edit',
    ({ accounts }) => accounts.edit(anna.id, { email: 'anna@example.org' }),
    [`account ${anna.id}`],
  ],
  [
    'accounts.switchPasswordLogins',
    ({ accounts }) => accounts.switchPasswordLogins(anna.id, at),
    [`account ${anna.id}`],
  ],
  ['tokenSessions.describe', ({ tokenSessions }) => tokenSessions.describe(sessions[0], 'laptop'), QUIET],
  [
    'agents.insert',
    async ({ agents }) => {
      for (const [name, person] of [
        ['ci', anna],
        ['one', bob],
        ['two', bob],
      ] as const)
        await agents.insert(agent(name, person))
    },
    QUIET,
  ],
  ['agents.remove', ({ agents }) => agents.remove('ci'), ['agent ci']],
  [
    'accountRemovals.clear',
    ({ accountRemovals }) =>
      accountRemovals.clear(bob, { replacement: checkUsername('removed'), at, by: 'operator' }),
    [
      `account ${bob.id}`,
      'agent one',
      'agent two',
      `token-session ${sessions[1]}`,
      `token-session ${sessions[2]}`,
    ],
  ],
  ['rootKeys.add', ({ rootKeys }) => rootKeys.add(newRootKey(1, at)), ['root-key 1']],
  ['rootKeys.add of an existing key', ({ rootKeys }) => rootKeys.add(newRootKey(1, at)), QUIET],
  ['keyPairs.add', ({ keyPairs }) => keyPairs.add(newKeyPair(1, 'issuer', at)), ['key-pair 1']],
  [
    'assertions.put',
    ({ assertions }) => assertions.put([assertion(1)], at),
    ['assertion model/16/acme/mini'],
  ],
  [
    'assertions.put of a newer revision',
    ({ assertions }) => assertions.put([assertion(2)], at),
    ['assertion model/16/acme/mini'],
  ],
  ['assertions.put of an older revision', ({ assertions }) => assertions.put([assertion(1)], at), QUIET],
  [
    'assertions.remove',
    ({ assertions }) => assertions.remove('model', '16/acme/mini'),
    ['assertion model/16/acme/mini'],
  ],
  ['assertions.addRoots', ({ assertions }) => assertions.addRoots([root], at), ['trust-root own']],
  ['assertions.removeRoot', ({ assertions }) => assertions.removeRoot('own'), ['trust-root own']],
  ['brands.add', ({ brands }) => brands.add(brand, signingKey), ['brand acme', 'signing-key key']],
  ['brands.disableKey', ({ brands }) => brands.disableKey('key', at), ['signing-key key']],
  [
    'models.add',
    async ({ models }) => {
      for (const name of [mini, maxi]) await models.add({ ...name, ...model })
    },
    ['model acme/maxi', 'model acme/mini'],
  ],
  [
    'models.setPolicy',
    ({ models }) => models.setPolicy(mini, { registration: 'approval' }),
    ['model acme/mini'],
  ],
  ['models.takeNumber', ({ models }) => models.takeNumber(mini), QUIET],
  [
    'models.allowRemodel',
    ({ models }) => models.allowRemodel(mini, maxi, at),
    ['remodel acme/mini/acme/maxi'],
  ],
  [
    'models.disallowRemodel',
    ({ models }) => models.disallowRemodel(mini, maxi),
    ['remodel acme/mini/acme/maxi'],
  ],
  [
    'apiKeys.add',
    async ({ apiKeys }) => {
      for (const id of ['k1', 'k2']) await apiKeys.add(apiKey(id), Buffer.from(id))
    },
    ['api-key k1', 'api-key k2'],
  ],
  ['apiKeys.use', ({ apiKeys }) => apiKeys.use(Buffer.from('k1'), mini, at), QUIET],
  ['apiKeys.revoke', ({ apiKeys }) => apiKeys.revoke('k1', at), ['api-key k1']],
  ['apiKeys.removeAll', ({ apiKeys }) => apiKeys.removeAll(mini), ['api-key k1', 'api-key k2']],
  [
    'models.allowRemodel both ways',
    async ({ models }) => {
      await models.allowRemodel(mini, maxi, at)
      await models.allowRemodel(maxi, mini, at)
    },
    ['remodel acme/maxi/acme/mini', 'remodel acme/mini/acme/maxi'],
  ],
  [
    'models.remove',
    ({ models }) => models.remove(mini),
    ['model acme/mini', 'remodel acme/maxi/acme/mini', 'remodel acme/mini/acme/maxi'],
  ],
  [
    'devices.add',
    async ({ devices }) => {
      for (const device of [first, second]) await devices.add(device)
    },
    QUIET,
  ],
  ['grants.add', ({ grants }) => grants.add(viewer), [`role-grant ${anna.id}`]],
  ['grants.add again', ({ grants }) => grants.add(viewer), QUIET],
  ['grants.remove', ({ grants }) => grants.remove(viewer), [`role-grant ${anna.id}`]],
  ['grants.remove again', ({ grants }) => grants.remove(viewer), QUIET],
  [
    'grants.removeAllOf',
    async ({ grants }) => {
      await grants.add(viewer)
      await grants.removeAllOf(anna.id)
    },
    [`role-grant ${anna.id}`, `role-grant ${anna.id}`],
  ],
  [
    'tokenSessions.shorten',
    ({ tokenSessions }) => tokenSessions.shorten(ofRule, at),
    [`token-session ${ofRule}`],
  ],
  ['devices.setRevision', ({ devices }) => devices.setRevision(first, 1), QUIET],
  ['devices.setQuarantine', ({ devices }) => devices.setQuarantine(first, at), [`device ${first.id}`]],
  ['devices.setQuarantine again', ({ devices }) => devices.setQuarantine(first, at), QUIET],
  [
    'devices.setQuarantine to null',
    ({ devices }) => devices.setQuarantine(first, null),
    [`device ${first.id}`],
  ],
  ['devices.supersede', ({ devices }) => devices.supersede(first, decision), [`device ${first.id}`]],
  ['devices.revoke', ({ devices }) => devices.revoke(second, decision), [`device ${second.id}`]],
  ['devices.revoke again', ({ devices }) => devices.revoke(second, decision), QUIET],
  ['models.remove of another', ({ models }) => models.remove(maxi), ['model acme/maxi']],
  ['brands.remove', ({ brands }) => brands.remove('acme'), ['brand acme', 'signing-key key']],
  [
    'brands.add with an id too long to be announced',
    ({ brands }) => brands.add({ ...brand, accountId: long }, { ...signingKey, accountId: long }),
    ['anything', 'signing-key key'],
  ],
]

test('every kind of change has an operation', () => {
  const heard = new Set(OPERATIONS.flatMap(([, , all]) => all).map((change) => change.split(' ')[0]))
  for (const kind of CHANGE_KINDS) assert.ok(heard.has(kind), kind)
})

eachDatabase((kind, open, { target }) => {
  if (kind === 'sqlite') return
  let database: Database
  let listener: ChangeListener
  let heard: string[] = []
  const written = (change?: RowChange) => (change ? `${change.kind} ${change.id}` : 'anything')
  before(async () => {
    database = await open()
    for (const { table, name } of triggerNames(kind))
      await sql.raw(`drop trigger ${name} on ${table}`).execute(database.query)
    const { accounts, tokenSessions } = storesOn(database)
    await accounts.insert(dora)
    await tokenSessions.open(opening(ofRule, dora.id))
    const byRule = database.query.updateTable('token_session').set({ rule_id: 'rule' })
    await byRule.where('session_id', '=', ofRule).execute()
    const at = await target()
    // Connects as another node would. It has no freshness: without a heartbeat for half a second, that would
    // report that anything may have changed.
    let listens = false
    listener = new ChangeListener(at.kind === 'sqlite' ? assert.fail() : at.url, [CHANGE_CHANNEL], {
      listening: () => {
        listens = true
      },
      notified: (_channel, payload) => heard.push(written(parseChange(payload))),
      lost: () => heard.push('lost'),
    })
    await eventually('it listens', () => listens)
  })
  after(() => listener.close())

  let fences = 0
  async function heardOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    heard = []
    await work()
    const fence = `root-key fence-${++fences}`
    await sql`select pg_notify('ratafia_change', ${fence})`.execute(database.query)
    await eventually(fence, () => heard.includes(fence))
    return heard.slice(0, heard.indexOf(fence)).sort()
  }
  const undone = new Error('undone')

  describe('without any trigger another node is notified of', () => {
    for (const [title, work, expected] of OPERATIONS) {
      test(`${title}: ${expected.length === 0 ? 'nothing' : 'what it changes, unless it is rolled back'}`, async () => {
        const rolledBack = () =>
          inTransaction(database.query, async (query) => {
            await work(allOn({ query }))
            throw undone
          })
        assert.deepEqual(await heardOf(() => assert.rejects(rolledBack(), undone)), [])
        assert.deepEqual(await heardOf(() => work(allOn(database))), expected.toSorted())
      })
    }

    test('anything that a restore may have changed, unless it is rolled back', async () => {
      const whole = wholeDatabaseStore(database, (on) => ({
        ...recordingOn(on, () => at, TESTER),
        sealed: sealedValueStore(on),
      }))
      const failing = whole.replace(async (to) => {
        await to.clear()
        throw undone
      })
      assert.deepEqual(await heardOf(() => assert.rejects(failing, undone)), [])
      assert.deepEqual(await heardOf(() => whole.replace((to) => to.clear())), ['anything'])
    })
  })
})
