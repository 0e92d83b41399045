/**
 * `ratafia devices remove` and `accounts remove` leave nothing personal, and nothing becomes valid again.
 * Confirmations, and refusals after a removal, are tested on SQLite only.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import type { PrivateKey } from '@ratafia/assertions'
import { accountOfIdentity } from '../../src/accounts/resolve-identity.ts'
import type { Schema } from '../../src/database/index.ts'
import { removeDevice } from '../../src/devices/removal/remove-device.ts'
import type { Installation } from '../../src/installation.ts'
import { addAgent, enableAccount, linkIdentity, removeAccount } from '../support/accounts.ts'
import { atTerminal } from '../support/at-terminal.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  AUTH,
  freshDeviceKeys,
  getNonce,
  getRequestId,
  openSession,
  presentingSession,
  register,
  registered,
  sessionBody,
  sessionOf,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import { eventuallyPasses } from '../support/eventually.ts'
import { openingOf } from '../support/openings.ts'
import { testProgram } from '../support/program.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  getRoot,
  logIn,
  presenting,
  refusalOf,
  revokeOwn,
  type TestService,
} from '../support/service.ts'

const HOUR = 3_600_000
const ADDRESS = '127.0.0.1'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  let service: TestService
  let keys: PrivateKey[]
  before(async () => {
    service = await program.serve()
    installation = service.installation
    await withAcme({ ...installation, clock: service.now }, { takenSerial: 'reissue' })
    keys = (await freshDeviceKeys(14)).filter(({ publicKey }) => !publicKey.id.startsWith('-'))
  })
  const newKey = () => keys.pop() ?? assert.fail('no key left')
  const nameOf = (serial: string) => `${ACME.brandId}/${ACME.model}/${serial}`

  const { json, refuses } = program
  const verifies = () => program.says('verify')
  /**
   * Returns all rows of the tables about accounts and devices, except the audit log. A key can contain a
   * short name by chance, so search for long ones.
   */
  const everything = async (): Promise<string> => {
    const { query } = installation.database
    const tables: readonly (keyof Schema)[] = [
      ...(['account', 'external_identity', 'agent', 'sign_in_session', 'completed_login'] as const),
      ...(['second_factor', 'recovery_code', 'used_time_step', 'reset_link'] as const),
      ...(['token_session', 'device', 'serial_assertion', 'device_registration'] as const),
      ...(['device_session', 'clone_evidence'] as const),
    ]
    const rows = []
    for (const table of tables) rows.push(...(await query.selectFrom(table).selectAll().execute()))
    return JSON.stringify(rows, (_name, value: unknown) =>
      value instanceof Uint8Array || (value !== null && typeof value === 'object' && 'data' in value)
        ? Buffer.from('data' in value ? (value.data as number[]) : value).toString()
        : value,
    )
  }
  /** Moves the device's sessions and registrations back by an hour. */
  const age = async (id: DeviceId) => {
    const { query } = installation.database
    const opened = query.updateTable('device_session').set((column) => ({
      opened_at: column('opened_at', '-', HOUR),
    }))
    await opened.where('device_id', '=', id).execute()
    const asked = query.updateTable('device_registration').set({ registered_at: Date.now() - HOUR })
    await asked.where('device_id', '=', id).execute()
  }
  const holderOf = async (serial: string) =>
    (await installation.devices.findHolder({ ...ACME, serial })) ?? assert.fail(`no ${serial}`)
  const idOf = async (serial: string): Promise<DeviceId> => (await holderOf(serial)).id

  if (kind === 'sqlite')
    test('at a terminal both describe the removal, and accept only the name or the serial', async () => {
      const { id } = await addPerson(service, 'wanda')
      await setAcmePolicy(installation, {})
      await registered(service, { key: newKey(), serial: 'T-1' })
      await json(`devices revoke --yes ${nameOf('T-1')}`)
      const removed = async () => [
        (await installation.accounts.findById(id))?.removedAt !== undefined,
        (await installation.devices.findById(await idOf('T-1')))?.removedAt !== undefined,
      ]
      const WORDS = [
        [
          ...(['accounts remove wanda', 'wanda'] as const),
          /^This permanently removes the account wanda \(id \w{32}\) with its password, agents/,
        ],
        [
          ...([`devices remove ${nameOf('T-1')}`, 'T-1'] as const),
          /T-1, revoked\)\nThis removes 1 device with addresses, sessions/,
        ],
      ] as const
      for (const [words, , says] of WORDS) {
        const no = await atTerminal(words, 'y\r', program.environment)
        assert.equal(no.code, 1)
        assert.match(no.stderr, says)
        assert.match(no.stderr, /cannot be undone\.\n[\s\S]*Nothing was changed\.\n$/)
        await refuses(words, /Can't ask for confirmation without a terminal\. Pass --yes to go ahead\./, 2)
      }
      assert.deepEqual(await removed(), [false, false])
      for (const [words, typed] of WORDS) {
        assert.equal((await atTerminal(words, `${typed}\r`, program.environment)).code, 0)
      }
      assert.deepEqual(await removed(), [true, true])
    })

  describe('a revoked device', () => {
    test('keeps only its serial number and its key, and everything it had stays refused', async () => {
      await setAcmePolicy(installation, {})
      const key = newKey()
      const serial = await registered(service, { key, serial: 'P-1', body: 'body-of-P-1\n' })
      const older = await sessionOf(service, { serial, key })
      const id = await idOf('P-1')
      await age(id)
      // The nonce of this session has not expired, so its row must prevent a second use.
      const nonce = await getNonce(service)
      const request = await sessionBody(service, { serial, key, nonce })
      const open = () => call(service, 'POST', `${AUTH}/sessions`, { body: request })
      const { body: newer } = await open()
      const other = newKey()
      assert.equal((await register(service, { key: other, serial: 'P-1' })).status, 400)
      const remove = `devices remove --yes ${nameOf('P-1')}`
      await refuses(remove, /is in use\. Revoke it with `ratafia devices revoke` before/)

      await json('devices', 'revoke', '--yes', nameOf('P-1'), '--reason', "sold by O'Ann")
      const [removed] = await json(remove)
      assert.deepEqual(
        [removed.id, removed.left, removed.status, removed.reason, removed.decided_by],
        [id, 'row', 'revoked', null, 'operator'],
      )
      assert.match(removed.removed_at, /^20/)
      const shown = await json(`devices show ${id}`)
      assert.deepEqual([shown.assertions, shown.clone_evidence, shown.registrations], [[], [], []])
      assert.deepEqual(
        shown.sessions.map(({ address, user_agent }: Record<string, string>) => [address, user_agent]),
        [['', '']],
      )
      assert.doesNotMatch(
        await everything(),
        new RegExp(`${ADDRESS.replaceAll('.', '\\.')}|O'Ann|body-of-P-1`),
      )

      for (const macaroon of [older, newer.macaroon]) {
        const headers = presentingSession(macaroon)
        // The command changed the database in another process, and the service is notified.
        await eventuallyPasses(async () =>
          assert.equal((await call(service, 'GET', '/device-session', { headers })).status, 401),
        )
      }
      assert.equal((await open()).status, 400, 'the same request was accepted again')
      assert.equal((await openSession(service, { serial, key })).status, 400)
      const again = await sessionBody(service, { serial, key, nonce })
      assert.equal((await call(service, 'POST', `${AUTH}/sessions`, { body: again })).status, 400)
      assert.equal((await register(service, { key })).status, 400, 'the key was accepted')
      assert.equal(
        (await register(service, { key: other, serial: 'P-1' })).status,
        400,
        'the serial was free',
      )
      await verifies()
      const [before, ...others] = await json(`devices remove --yes ${id} ${nameOf('P-1')}`)
      assert.deepEqual([before.left, others], ['before', []])
    })

    test('is exported and imported as removed', async () => {
      const [file, bad] = ['removed.csv', 'bad.json'].map((name) => join(program.directory, name))
      await json(`devices export ${file} --serial P-1`)
      assert.deepEqual(await json(`devices import ${file}`), { devices: 1, added: 0 })
      const [record] = JSON.parse(await program.says('devices export --format json --serial P-1'))
      const { id: _, ...nameless } = record
      for (const [more, message] of [
        [{ reason: 'x' }, /"removed_at" is given, so there can be no "reason"/],
        [{ status: 'active' }, /"removed_at" is given, but the device is active/],
      ] as const) {
        await writeFile(String(bad), JSON.stringify([{ ...nameless, ...more }]))
        await refuses(`devices import ${bad}`, message)
      }
    })
  })

  test('the time of the last session of a removed device is deleted with that session', async () => {
    const later = new Date(Date.now() + 48 * HOUR)
    assert.ok((await installation.deviceSessions.removeExpired(later, 1000)) > 0)
    const [listed] = await json('devices list --serial P-1 --without-session')
    assert.ok(listed)
    assert.deepEqual((await json(`devices show ${listed.id}`)).sessions, [])
    await verifies()
  })

  test('a removed superseded device leaves a gap in the revisions, and its key is refused', async () => {
    await setAcmePolicy(installation, { takenSerial: 'reissue' })
    const holders = [newKey(), newKey(), newKey()] as const
    for (const key of holders) await registered(service, { key, serial: 'G-1' })
    const [, second] = holders
    const [removed] = await json(`devices remove --yes ${second.publicKey.id}`)
    assert.deepEqual([removed.status, removed.left], ['superseded', 'row'])
    await verifies()
    assert.equal((await register(service, { key: second, serial: 'G-1' })).status, 400)
    // A serial number names its current holder.
    await refuses(`devices remove --yes ${nameOf('G-1')}`, /G-1, active\) is in use/)
  })

  test('a device that never had a serial is deleted with its row, after its request-id has expired', async () => {
    await setAcmePolicy(installation, { registration: 'approval' })
    const key = newKey()
    // Evidence about the holder of G-1, with the address of this key.
    assert.equal((await register(service, { key, serial: 'G-1' })).status, 400)
    const seen = async () =>
      (await installation.clones.evidenceOf(await holderOf('G-1'))).map(({ details }) => details)
    assert.equal((await seen())[0]?.['address'], ADDRESS)
    const requestId = await getRequestId(service)
    const ask = () => register(service, { key, requestId, serial: 'NEVER-GIVEN-1' })
    assert.equal((await ask()).status, 202)
    const { id } =
      (await installation.devices.findByKey({ ...ACME, deviceKeyId: key.publicKey.id })) ?? assert.fail()
    await json('devices', 'reject', id, '--reason', "not of O'Ann")
    const two = `devices remove --yes ${id} unknown`
    await refuses(two, /with a request-id that can still be valid\. Remove it after 20/)
    await age(id)
    await refuses(two, /There is no device "unknown"/)
    assert.ok(await installation.devices.findById(id), 'one was removed although the other was refused')
    const [removed] = await json(`devices remove ${id} --yes`)
    assert.deepEqual([removed.id, removed.left], [id, 'nothing'])
    assert.equal(await installation.devices.findById(id), undefined)
    assert.doesNotMatch(await everything(), /O'Ann|NEVER-GIVEN-1/)
    assert.deepEqual(await seen(), [{}])
    // The register treats it as a new device.
    assert.equal((await register(service, { key })).status, 202)
    await verifies()
  })

  test('a request-id that is used while its device is being removed stays used', async () => {
    await setAcmePolicy(installation, { registration: 'approval' })
    const key = newKey()
    assert.equal((await register(service, { key })).status, 202)
    const device =
      (await installation.devices.findByKey({ ...ACME, deviceKeyId: key.publicKey.id })) ?? assert.fail()
    // As if the device had registered just after the check.
    const removals = { ...installation.removals, lastRequest: async () => undefined }
    const removing = removeDevice({ name: device.id, authority: deciding() }, { ...installation, removals })
    await assert.rejects(removing, /keeps changing\. Try again\./)
    assert.equal((await installation.registrations.ofDevice(device, 10)).length, 1)
  })

  describe('an account', () => {
    const whoami = async (headers: Record<string, string>) =>
      (await call(service, 'GET', '/api/v2/tokens/whoami', { headers })).status

    test('is removed with everything it had, and leaves a row without personal data', async () => {
      const person = await addPerson(service, 'zelda')
      const token = await logIn(service, person, { description: 'laptop of Zelda' })
      const revokedBefore = await logIn(service, person)
      const unused = await dischargeFor(service, await getRoot(service), person)
      await revokeOwn(service, revokedBefore)
      const elsewhere = 'https://id.example.org'
      await json(`agents add zelda-ci --account zelda --url ${elsewhere}`)
      await json(`accounts link zelda --issuer ${elsewhere} --subject zelda@work`)
      const soon = { accountId: person.id, expiresAt: new Date(Date.now() + HOUR), seen: 0 }
      const login = { loginId: Buffer.alloc(16, 7), decision: 'approved', ...soon } as const
      await installation.completedLogins.insert({ ...login, completedAt: new Date(), signedInAt: new Date() })
      const signIn = { idHash: Buffer.alloc(32, 7), createdAt: new Date(), ...soon }
      await installation.signInSessions.insert(signIn)
      await json('accounts totp enable zelda')
      await json(`accounts reset-link zelda --url ${elsewhere}`)
      await installation.secondFactors.useStep(person.id, 1, new Date())
      const tables = ['second_factor', 'recovery_code', 'used_time_step', 'reset_link'] as const
      const { query } = installation.database
      const rows = tables.map((table) =>
        query.selectFrom(table).select('account_id').where('account_id', '=', person.id).execute(),
      )
      assert.deepEqual(
        (await Promise.all(rows)).map((all) => all.length),
        [1, 10, 1, 1],
      )
      assert.equal(await whoami(bearing(token)), 200)

      const removed = await json('accounts remove --yes zelda')
      assert.deepEqual([removed.id, removed.revoked, removed.removed_before], [person.id, 1, false])
      assert.match(removed.username, /^removed-[0-9a-f]{20}$/)
      assert.doesNotMatch(await everything(), /zelda/i)
      for (const headers of [bearing(token), bearing(revokedBefore), presenting(unused)]) {
        await eventuallyPasses(async () => assert.equal(await whoami(headers), 401))
      }
      const exchange = { headers: presenting(unused), body: {} }
      const refused = refusalOf(await call(service, 'POST', '/api/v2/tokens/exchange', exchange))
      assert.equal(refused.status, 401)
      assert.match(
        refused.message,
        /^The account of this login was removed at 20.* Log in with another one\.$/,
      )
      // The login stays decided, so that no other account can approve it.
      assert.equal((await installation.completedLogins.find(login.loginId))?.decision, 'denied')
      assert.equal(await installation.signInSessions.find(signIn.idHash), undefined)
      await verifies()

      const listed: readonly { username: string }[] = await json('accounts list')
      assert.ok(listed.every(({ username }) => username !== removed.username))
      assert.equal((await json(`accounts show ${person.id}`)).removed_at, removed.removed_at)
      assert.equal((await json(`accounts remove --yes ${person.id}`)).removed_before, true)
    })

    test('is not changed by an operation that read it before the removal', async () => {
      const { id } = await addPerson(service, 'wendy')
      await json(`accounts remove --yes ${id}`)
      const { accounts } = installation
      assert.equal(await accounts.enable(id), false)
      assert.equal(await accounts.setPasswordHash(id, 'x'), false)
      assert.equal(await accounts.keep(id), false)
      await verifies()
    })

    if (kind === 'sqlite')
      test('cannot be enabled, linked, or given a password or an agent after its removal', async () => {
        const { id } = await addPerson(service, 'yolanda')
        const { username } = await json(`accounts remove --yes ${id}`)
        for (const words of [
          `accounts enable ${id}`,
          `accounts link ${username} --issuer https://id.example.org --subject yolanda`,
          `agents add yolanda-ci --account ${id} --url https://id.example.org`,
          `accounts set-password ${id} --password-stdin`,
        ]) {
          await refuses(
            words,
            /^ratafia: The account "removed-\w+" was removed at 20.* and cannot be restored\. Add another one\.\n$/,
            1,
            { input: 'correct horse battery' },
          )
        }
        await verifies()
      })

    test('keeps nothing that is added during its removal', async () => {
      for (let round = 0; round < 3; round++) {
        const person = await addPerson(service, `victor-${round}`)
        const { id } = person
        const issuer = 'https://id.example.org'
        const root = await getRoot(service, { description: `laptop of victor-${round}` })
        const login = { headers: presenting(await dischargeFor(service, root, person)), body: {} }
        await Promise.allSettled([
          linkIdentity({ account: id, issuer, subject: `victor-${round}` }, installation),
          addAgent({ name: `victor-${round}`, account: id }, { ...installation, location: issuer }),
          call(service, 'POST', '/api/v2/tokens/exchange', login),
          removeAccount({ account: id }, installation),
          linkIdentity({ account: id, issuer, subject: `victor-${round}-too` }, installation),
          enableAccount(id, installation),
        ])
        assert.ok((await installation.accounts.findById(id))?.removedAt)
      }
      assert.doesNotMatch(await everything(), /victor/)
      await verifies()
    })

    test('from an external identity service returns as a new account without the old sessions', async () => {
      const identity = { issuer: 'https://id.example.org', subject: 'xenia' }
      const rules = { ...installation, bundledIssuer: undefined, rule: 'auto', source: ADDRESS } as const
      const first = await accountOfIdentity(identity, rules)
      const [at, until] = [new Date(), new Date(Date.now() + HOUR)]
      const session = {
        ...{ id: crypto.randomUUID() as never, accountId: first.id, description: undefined },
        ...{ validSince: at, validUntil: until },
      }
      assert.ok(await installation.tokenSessions.open(openingOf(session, at)))
      await json('accounts remove --yes xenia')
      const second = await accountOfIdentity(identity, rules)
      assert.equal(second.username, 'xenia')
      assert.notEqual(second.id, first.id)
      const again = openingOf({ ...session, accountId: second.id }, at)
      assert.equal(await installation.tokenSessions.open(again), false)
      const found = await installation.logins.ofSession(session.id)
      assert.deepEqual([found?.account.id, found?.session.revokedBy], [first.id, 'operator'])
    })

    test('is not named in the audit entry of its removal', async () => {
      const entries = await json('audit list --action account.remove')
      assert.ok(entries.length > 0)
      assert.doesNotMatch(JSON.stringify(entries), /zelda|yolanda|xenia/)
    })
  })
})
