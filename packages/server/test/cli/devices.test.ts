/** An operator lists, shows and decides about devices with `ratafia devices`, while the service runs. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { decode, type PrivateKey } from '@ratafia/assertions'
import { bucketOf } from '../../src/bucket.ts'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import type { Installation } from '../../src/installation.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addAcmeModel,
  freshDeviceKeys,
  getRequestId,
  type RegisterInput,
  register,
  registered,
  sessionOf,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import { testProgram } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  let service: TestService
  let keys: PrivateKey[]
  before(async () => {
    service = await program.serve()
    installation = service.installation
    await withAcme({ ...installation, clock: service.now })
    // An id that begins with a dash needs `--` before it.
    keys = (await freshDeviceKeys(14)).filter(({ publicKey }) => !publicKey.id.startsWith('-'))
  })
  const newKey = () => keys.pop() ?? assert.fail('no key left')

  const { says, refuses, refusesEach } = program
  const devices = (words: string) => program.json(`devices ${words}`)

  test('an empty register has no devices to list, and unknown devices are refused', async () => {
    await says('devices list', 'No devices yet.\n')
    assert.deepEqual(await devices('list'), [])
    await says('devices counts', /^The service has not counted the devices yet\.\n/)
    await recountDevices({ ...installation, goOn: async () => true })
    for (const words of ['', '--brand acme']) await says(`devices counts ${words}`, /^0 in all, counted at /)
    for (const name of ['x', 'a/b/c', 'A'.repeat(64), '0197e0b4-0000-7000-8000-000000000000', 'x\u001b[2J']) {
      await refuses(['devices', 'show', name], /^ratafia: There is no device ".*"\. Name it by its id, /)
    }
    await refusesEach`
      devices list --limit 0 | 2 | --limit 0 is not a number from 1 to 99999
      devices list --model x | 1 | model.* is not of the form BRAND/MODEL`
  })

  test('list accepts filters, and show prints everything known about a device', async () => {
    const key = newKey()
    const keyId = key.publicKey.id
    const serial = await registered(service, { key, serial: 'L-1' })
    for (const other of ['L-2', 'L-3']) await registered(service, { key: newKey(), serial: other })
    const macaroon = await sessionOf(service, { serial, key })
    await sessionOf(service, { serial, key, previous: macaroon })
    // Another key for the same serial is refused, and recorded as evidence.
    const other = newKey()
    assert.equal((await register(service, { key: other, serial: 'L-1' })).status, 400)

    const all = await devices('list')
    assert.deepEqual(
      all.map((row: { serial: string }) => row.serial),
      ['L-3', 'L-2', 'L-1'],
    )
    const [third, , first] = all
    const filter = `--brand acme-brand --model acme-brand/acme-classic --key ${keyId} --serial L-1 --status active`
    assert.deepEqual(await devices(`list ${filter}`), [first])
    assert.deepEqual(await devices('list --serial l-1'), [])
    const page = await program.run('devices list --limit 2')
    assert.match(page.stdout, /^ID +BRAND ID +MODEL +SERIAL +STATUS +REGISTERED AT +QUARANTINED AT\n/)
    assert.equal(page.stdout.trimEnd().split('\n').length, 3)
    assert.equal(page.stderr, 'There are more devices. Raise --limit, pass --all, or use filters.\n')
    assert.deepEqual(await devices('list --limit 1'), [third])

    // Later than the time that the service will store.
    const at = new Date(Date.now() + 86_400_000)
    const where = { address: '192.0.2.9', bucket: bucketOf(first.device_key_id) }
    await installation.activities.saw([{ id: first.id, at, ...where }])
    const shown = await devices('show acme-brand/acme-classic/L-1')
    assert.deepEqual([shown.last_seen_at, shown.last_address], [at.toISOString(), '192.0.2.9'])
    assert.match(shown.evidence_at, /Z$/)
    assert.deepEqual(
      [shown.id, shown.status, shown.decided_by, shown.origin],
      [first.id, 'active', 'policy', 'registration'],
    )
    for (const name of [first.id, keyId]) assert.deepEqual(await devices(`show ${name}`), shown)
    assert.equal(decode(Buffer.from(shown.assertions[0].assertion)).type, 'serial')
    assert.equal(shown.assertions[0].revision, 0)
    assert.deepEqual([shown.registrations.length, shown.registrations[0].address], [1, '127.0.0.1'])
    assert.equal(shown.sessions.length, 2)
    assert.equal(shown.sessions[0].refreshed_from, shown.sessions[1].id)
    assert.deepEqual(
      shown.clone_evidence.map((one: { kind: string; subject: string }) => [one.kind, one.subject]),
      [['second-key', other.publicKey.id]],
    )
    assert.equal((await devices(`show ${first.id} --limit 1`)).sessions.length, 1)
    const text = await says(
      `devices show ${first.id} --assertions`,
      /\nRegistrations\n[\s\S]*\nSessions\n[\s\S]*\nEvidence of a clone\n/,
    )
    assert.match(text, /\ntype: serial\n/)
    // The output contains no part of a usable session.
    assert.doesNotMatch(text + JSON.stringify(shown), new RegExp(macaroon.slice(0, 40)))
  })

  describe('a pending device', () => {
    const waiting = async (input: RegisterInput = {}) => {
      await setAcmePolicy(installation, { registration: 'approval' })
      const key = newKey()
      const requestId = await getRequestId(service)
      const ask = () => register(service, { key, requestId, ...input })
      assert.equal((await ask()).status, 202)
      const [row] = await devices(`list --key ${key.publicKey.id}`)
      assert.equal(row.status, 'pending')
      return { id: row.id as string, key, ask }
    }

    test('can be approved with the serial it proposed, which the same request then gets', async () => {
      const { id, ask } = await waiting({ serial: 'W-1' })
      await refusesEach`
        devices release ${id} | 1 | ^ratafia: The device .* \(acme-brand/acme-classic/W-1, pending\) is not in quarantine\.\n$
        devices revoke --yes ${id} | 1 | has no serial to revoke\. Reject it with .ratafia devices reject.\.\n$`
      await says(
        'devices approve acme-brand/acme-classic/W-1',
        /\(acme-brand\/acme-classic\/W-1, active\) gets its serial the next time it asks\.\n$/,
      )
      const { status, serial } = await ask()
      assert.deepEqual([status, serial?.fields.serial], [200, 'W-1'])
      const shown = await devices(`show ${id}`)
      assert.deepEqual([shown.decided_by, shown.revision], ['operator', 0])
      await refuses(
        `devices reject ${id} --reason no`,
        /is not pending\. To end its sessions, use `ratafia devices revoke`\.\n$/,
      )
      const device = (await installation.devices.findById(shown.id)) ?? assert.fail()
      await installation.devices.setQuarantine(device, new Date())
      await says(`devices release ${id}`, /W-1, active\) can open sessions again\.\n$/)
      const revoke = `devices revoke --yes ${id} --reason stolen`
      await says(revoke, /W-1, revoked\) was revoked at \S+ by operator\.\n$/)
      assert.equal((await devices(`show ${id}`)).reason, 'stolen')
    })

    test('can be approved with a different serial, unless it is taken or invalid', async () => {
      const { id, key, ask } = await waiting()
      await refusesEach`
        devices approve ${id} --serial a/b | 1 | ^ratafia: "a/b" is not a serial number: 
        devices approve ${id} --serial L-1 | 1 | ^ratafia: acme-brand/acme-classic/L-1 belongs to the device .*, which is active`
      const approved = await devices(`approve ${key.publicKey.id} --serial W-2`)
      assert.deepEqual([approved.id, approved.serial, approved.status], [id, 'W-2', 'active'])
      assert.equal((await ask()).serial?.fields.serial, 'W-2')
    })

    test('gets the reason of a rejection, and can still be approved later', async () => {
      const { id, ask } = await waiting({ serial: 'W-3' })
      for (const reason of ['', ' ', 'two\nlines', 'x'.repeat(201), 'bell\u0007', 'turn\u202e']) {
        await refuses(
          ['devices', 'reject', id, '--reason', reason],
          'ratafia: A reason is one line of 1 to 200 printable characters.\n',
        )
      }
      for (const reason of ['Not one of ours', 'again']) {
        await says(
          ['devices', 'reject', id, '--reason', reason],
          /W-3, rejected\) will not get a serial: Not one of ours\n$/,
        )
      }
      const { status, body } = await ask()
      assert.equal(status, 400)
      assert.match(body['error-list'][0].message, /Not one of ours/)
      await says(`devices approve ${id}`, /gets its serial/)
      assert.equal((await ask()).status, 200)
    })
  })

  test('refuses a name that matches several devices, and lists their ids', async () => {
    await setAcmePolicy(installation, {})
    const key = newKey()
    const modelText = await addAcmeModel(installation, 'acme-second')
    await registered(service, { key, serial: 'S-1' })
    await registered(service, { key, serial: 'S-1', model: 'acme-second', modelText })
    await refuses(
      `devices revoke --yes ${key.publicKey.id}`,
      /matches several devices: .* \(acme-brand\/acme-second\/S-1, active\), .*Name one by its id\.\n$/,
    )
    assert.equal((await devices('show acme-brand/acme-second/S-1')).model, 'acme-second')
  })
})
