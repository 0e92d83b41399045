/**
 * `ratafia devices export` and `import` copy a register without a difference, and import all of a file or
 * none of it. Unreadable files are tested on SQLite only.
 */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { encode, type PrivateKey } from '@ratafia/assertions'
import { signSerial } from '../../src/brands/keys/sign-serial.ts'
import { deviceRef, newDevice } from '../../src/devices/new-device.ts'
import { ImportError } from '../../src/files/import-rows.ts'
import type { Installation } from '../../src/installation.ts'
import { importDevices } from '../support/as-operator.ts'
import { casesIn } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, freshDeviceKeys, serialRequest, withAcme } from '../support/devices.ts'
import { testProgram } from '../support/program.ts'

const HEADER =
  'id,brand_id,model,serial,device_key_id,status,revision,origin,original,registered_at,decided_at,decided_by,reason,quarantined_at,removed_at,request,assertions,clone_evidence\n'

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  // The register that imports the exports is always a separate SQLite database.
  const others = [testProgram(), testProgram()] as const
  let installation: Installation
  let keys: readonly PrivateKey[]
  before(async () => {
    installation = await program.open()
    await withAcme(installation)
    keys = await freshDeviceKeys(4)
    await fill(installation, keys)
  })
  const { json, says, refuses } = program
  const path = (name: string) => join(program.directory, name)
  const fileOf = async (name: string, text: string) => {
    await writeFile(path(name), text)
    return path(name)
  }
  const COLUMNS = 'brand_id,model,serial,device_key_id'
  const keyIdOf = (fill: number | string) => Buffer.alloc(48, fill).toString('base64url')
  const serialsOf = (devices: readonly { serial: string }[]) => devices.map(({ serial }) => serial)

  for (const [index, format] of (['csv', 'json'] as const).entries()) {
    test(`a ${format} export is the same after an import, and a second import changes nothing`, async () => {
      const other = others[index] ?? assert.fail()
      const [first, second] = [path(`first.${format}`), path(`second.${format}`)]
      const importing = `devices import --unknown-models ${first}`
      await says(`devices export ${first}`, `5 devices exported to ${first}.\n`)
      await other.says(importing, '5 devices added.\n')
      assert.deepEqual(await other.json(`devices export ${second}`), { exported: 5, file: second })
      const text = await readFile(first, 'utf8')
      assert.match(text, format === 'csv' ? /,'=1\+1,/ : /"=1\+1"/)
      assert.equal(await readFile(second, 'utf8'), text)
      await other.says(importing, '0 devices added; 5 already in the register.\n')
      await says(`devices export --format ${format}`, text)
      const shown = await other.json('devices show acme-brand/acme-classic/T-1')
      const before = await installation.devices.serialAssertionsOf(shown)
      assert.deepEqual(
        shown.assertions.map((one: { revision: number; assertion: string }) => [one.revision, one.assertion]),
        [0, 2].map((revision, at) => [revision, Buffer.from(before[at]?.encoded ?? '').toString()]),
      )
      // Pending devices can be approved in the other register, which has their requests.
      const [pending] = await other.json('devices list --status pending')
      assert.equal(pending.device_key_id, keys[2]?.publicKey.id)
      const there = await other.open()
      const [request, original] = [there, installation].map(({ devices }) => devices.findRequest(pending))
      assert.deepEqual(await request, await original)
      assert.ok((await readdir(program.directory)).every((name) => !name.endsWith('.part')))
    })
  }

  test('a JSON export is a list with one object on each line', async () => {
    const text = await says('devices export --format json')
    assert.equal(JSON.parse(text).length, 5)
    assert.equal(text.trimEnd().split('\n').length, 7)
  })

  test('export accepts the filters of list', async () => {
    await says('devices export --status revoked', new RegExp(`^${HEADER}[^\n]*,T-4,[^\n]*,revoked,`))
    await says('devices export --brand other', HEADER)
    await says('devices export --quarantined --format json', '[\n]\n')
  })

  test('imports a handwritten list without ids, of devices that already have their serials', async () => {
    const key = keyIdOf(5)
    const file = await fileOf('hand.csv', `${COLUMNS}\nacme-brand,acme-classic,H-1,${key}\n`)
    await says(`devices import --dry-run ${file}`, '1 device would be added.\n')
    assert.deepEqual(await json(`devices import --dry-run ${file}`), { dry_run: true, devices: 1, added: 1 })
    await says(`devices import ${file}`, '1 device added.\n')
    await says(`devices import ${file}`, '0 devices added; 1 already in the register.\n')
    const other = key.replace('B', 'C')
    const taken = await fileOf('taken.csv', `${COLUMNS}\nacme-brand,acme-classic,H-1,${other}\n`)
    await refuses(
      `devices import --dry-run ${taken}`,
      /^ratafia: line 2: the serial acme-brand\/acme-classic\/H-1 belongs to /,
    )
    const blank = await fileOf(
      'blank.csv',
      `id,registered_at,${COLUMNS}\n,,acme-brand,acme-classic,H-1,${key}\n`,
    )
    await says(`devices import ${blank}`, '0 devices added; 1 already in the register.\n')
    const shown = await json('devices show acme-brand/acme-classic/H-1')
    assert.deepEqual(
      [shown.status, shown.origin, shown.revision, shown.assertions, shown.decided_by],
      ['active', 'import', null, [], 'operator'],
    )
    assert.equal(shown.decided_at, shown.registered_at)
    await says('verify')
  })

  test('refuses devices of unknown models, unless --unknown-models is given', async () => {
    const file = await fileOf('unknown.csv', `${COLUMNS}\nacme-brand,no-such,U-1,${keyIdOf(6)}\n`)
    await refuses(`devices import ${file}`, /^ratafia: line 2: there is no model acme-brand\/no-such here\. /)
    await says(`devices import --unknown-models ${file}`, '1 device added.\n')
  })

  test('imports evidence of clones, and refuses evidence that no export contains', async () => {
    const [device] = await installation.devices.list({ serial: 'T-4', limit: 1 })
    assert.ok(device)
    await installation.clones.record({
      ...{ deviceId: device.id, bucket: device.bucket, at: new Date('2026-03-01T00:00:00.000Z') },
      ...{ kind: 'second-key', subject: 'another key', details: { address: '192.0.2.1' } },
    })
    const [other] = others
    const file = path('evidence.json')
    const importing = `devices import --unknown-models ${file}`
    await says(`devices export --serial T-4 ${file}`)
    const [row] = JSON.parse(await readFile(file, 'utf8'))
    const id = newDeviceId(new Date())
    const moved = { ...row, id, serial: 'T-5', device_key_id: keyIdOf(7), assertions: null, revision: null }
    await writeFile(file, JSON.stringify([moved]))
    await other.says(importing)
    const copy = deviceRef(id, moved.device_key_id)
    const evidence = await installation.clones.evidenceOf(device)
    assert.deepEqual(
      await (await other.open()).clones.evidenceOf(copy),
      evidence.map((one) => ({ ...one, deviceId: id, bucket: copy.bucket })),
    )
    const odd = row.clone_evidence.replace('second-key', 'odd')
    for (const bad of ['x', '{}', '[1]', '[{"kind":"second-key"}]', odd]) {
      const again = { ...moved, id: newDeviceId(new Date()), serial: 'T-6', clone_evidence: bad }
      await writeFile(file, JSON.stringify([again]))
      await other.refuses(importing, /^ratafia: item 1: "clone_evidence" is not a list of evidence/)
    }
  })

  describe('an invalid row is refused with its place, and nothing is imported', () => {
    const row = (change: Record<string, unknown> = {}) => ({
      ...{ id: newDeviceId(new Date()), brand_id: 'acme-brand', model: 'acme-classic', serial: 'N-1' },
      ...{ device_key_id: keyIdOf(9), ...change },
    })
    const good = row({ serial: 'N-0', device_key_id: keyIdOf(8) })
    const holder = async () =>
      (await installation.devices.list({ serial: 'T-1', limit: 1 }))[0] ?? assert.fail()
    const texts = async () =>
      (await installation.devices.serialAssertionsOf(await holder())).map(({ encoded }) =>
        Buffer.from(encoded).toString(),
      )
    const request = () => {
      const key = keys[3] ?? assert.fail()
      return Buffer.from(serialRequest({ requestId: 'x', key })).toString()
    }
    /** A title, the change to a row as JSON or a key of FROM_HOLDER, and the message about item 2. */
    const CASES = casesIn(String.raw`
      no brand | {"brand_id":""} | "brand_id" is missing\.$
      no serial | {"serial":null} | "serial" is missing, but the device is active\.$
      a slash | {"serial":"a/b"} | "serial" is not a serial number
      a control character | {"serial":"a\u0000"} | "serial" is not a serial number
      half a character | {"reason":"\ud800"} | "reason" is not one line of text
      a different key id | {"device_key_id":"x"} | "device_key_id" is not the id of a key
      a number for a string | {"model":5} | "model" is not text\.$
      an unknown status | {"status":"lost"} | "status" is not one of pending, 
      an invalid id | {"id":"x"} | "id" is not a UUID in lower case\.$
      not a time | {"registered_at":"today"} | "registered_at" is not a time such as 
      an invalid time | {"decided_at":"2026-13-01T00:00:00Z"} | "decided_at" is not a time\.$
      an invalid revision | {"revision":-1} | "revision" is not a whole number from 0 to 999999999\.$
      pending without a request | {"status":"pending"} | "request" is missing
      active with a request | withRequest | only a pending or rejected device has a "request"\.$
      the request of another | pendingWithRequest | "request" is about a different model or device key\.$
      an invalid assertion | {"assertions":"x"} | "assertions" cannot be read: 
      the assertion of a different serial | assertion | "assertions" has a serial of acme-brand/acme-classic/T-1\.$
      the assertion of a different key | itsAssertion | "assertions" has a serial of a different device key\.$
      a revision below the assertion | itsSecond | "assertions" has the revision 2, but "revision" is 0\.$
      a taken serial | {"serial":"T-1"} | the serial acme-brand/acme-classic/T-1 belongs to the device .* \(active\), with another row\. Nothing was imported\.$
      a taken key | itsKey | the device key .* already has a row of acme-brand/acme-classic: the device .* \(active\)\. 
      a taken id | itsId | the device .* is in the register with another "serial": "T-1", in the file "N-1"\. 
      twice in the file | twice | an earlier row has the same id .*\. 
      not an object | list | this is not an object\.$`)
    const FROM_HOLDER = async (): Promise<Readonly<Record<string, object>>> => {
      const { id, deviceKeyId: key } = await holder()
      const [first, second] = await texts()
      return {
        withRequest: row({ request: request() }),
        pendingWithRequest: row({ status: 'pending', request: request() }),
        assertion: row({ assertions: first }),
        itsAssertion: row({ serial: 'T-1', assertions: first }),
        itsSecond: row({ serial: 'T-1', device_key_id: key, revision: 0, assertions: second }),
        ...{ itsKey: row({ device_key_id: key }), itsId: row({ id }), twice: good, list: [] },
      }
    }
    for (const [what, change = '', message] of CASES) {
      test(what, async () => {
        const changed = (await FROM_HOLDER())[change] ?? row(JSON.parse(change))
        const text = `[${JSON.stringify(good)},\n  ${JSON.stringify(changed)} ]`
        await refuses(text, 'json', new RegExp(`^item 2: ${message}`))
        assert.equal(await installation.devices.findById(good.id), undefined)
      })
    }

    const refuses = (text: string | Uint8Array, format: 'csv' | 'json', message: RegExp) => {
      const open = async function* () {
        // One byte per chunk, because a character can be split across two chunks.
        for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
      }
      return assert.rejects(importDevices({ source: { format, open } }, installation), (error: Error) => {
        assert.ok(error instanceof ImportError, String(error))
        assert.match(error.message, message)
        return true
      })
    }
    const FILES = casesIn(String.raw`
      csv | "" | ^line 1: this is not a header line\.$
      csv | "a,b\n1,2\n" | ^line 2: there is no "brand_id", "model", "serial", "device_key_id"\.
      csv | "a,b\n1\n" | ^The file is not CSV: 
      csv | "a,\"b\n" | ^The file is not CSV: 
      json | "" | ^The file is not a JSON list of objects\.$
      json | "{}" | ^The file is not a JSON list of objects\.$
      json | "[{}" | ^The file is not a JSON list of objects\.$
      json | "[,]" | ^The file is not a JSON list of objects\.$
      json | "[] x" | ^The file is not a JSON list of objects\.$
      json | "[{\"a\":}]" | ^item 1: this is not JSON: 
      json | "[\"a\"]" | ^item 1: this is not an object\.$`)
    for (const [format, text = '', message = ''] of kind === 'sqlite' ? FILES : []) {
      const as = format === 'csv' ? 'csv' : 'json'
      test(`refuses ${format} ${text}`, () => refuses(JSON.parse(text), as, new RegExp(message)))
    }
    test('refuses a file that is not UTF-8', () =>
      refuses(Uint8Array.of(0x5b, 0xff, 0x5d), 'json', /^The file is not UTF-8 text\. Save it as UTF-8\.$/))
  })

  if (kind === 'sqlite')
    test('refuses files that cannot be read or written', async () => {
      await writeFile(path('x.txt'), '')
      await program.refusesEach`
        devices import missing.csv | 1 | ^ratafia: missing\.csv cannot be read: there is no such file or directory\. Check the path\.\n$
        devices import ${path('x.txt')} | 2 | ^ratafia: \S+x\.txt ends neither in \.csv nor in \.json\. Pass --format\.\n$
        devices export no/such/x.csv | 1 | ^ratafia: no/such/x\.csv cannot be written: there is no such file or directory\. Check the path\.\n$
        devices export --json | 2 | Pass a file
        devices export --search 'two words' | 1 | .`
    })

  test('imports, exports and lists 1,100 devices in several pages and two batches', async () => {
    const lines = Array.from({ length: 1100 }, (_, index) => {
      const key = Buffer.alloc(48)
      key.writeUInt32BE(index + 1)
      return `acme-brand,many,M-${index},${key.toString('base64url')}`
    })
    const file = await fileOf('many.csv', `${COLUMNS}\n${lines.join('\n')}\n`)
    const importing = `devices import --unknown-models ${file}`
    for (const added of [1100, 0]) assert.deepEqual(await json(importing), { devices: 1100, added })
    const text = await says('devices export --model acme-brand/many --format json')
    assert.equal(new Set(serialsOf(JSON.parse(text))).size, 1100)

    const newestFirst = Array.from({ length: 1100 }, (_, index) => `M-${1099 - index}`)
    const list = 'devices list --model acme-brand/many --limit'
    assert.deepEqual(serialsOf(await json(`${list} 1100`)), newestFirst)
    const { stdout, stderr } = await program.run(`${list} 1099`)
    const [titles = '', ...rows] = stdout.trimEnd().split('\n')
    assert.match(titles, /^ID +BRAND ID +MODEL +SERIAL/)
    assert.deepEqual(
      rows.map((row) => row.split(/ +/)[3]),
      newestFirst.slice(0, 1099),
    )
    assert.equal(stderr, 'There are more devices. Raise --limit, pass --all, or use filters.\n')
  })

  test('names a row that cannot be added, wherever it is in a long file, and adds none', async () => {
    const lines = Array.from(
      { length: 1500 },
      (_, index) => `acme-brand,late,L-${10_000 + index},${keyIdOf(String(10_000 + index))}`,
    )
    const taken = `acme-brand,many,M-7,${keyIdOf(1)}`
    const malformed = 'acme-brand,late,,no-key'
    const late = await fileOf('late.csv', [COLUMNS, ...lines, taken, malformed].join('\n'))
    const importing = 'devices import --unknown-models'
    await refuses(`${importing} ${late}`, /^ratafia: line 1503: "serial" is missing/)
    const clash = await fileOf('clash.csv', [COLUMNS, taken, ...lines, malformed].join('\n'))
    await refuses(
      `${importing} ${clash}`,
      /^ratafia: line 2: the serial acme-brand\/many\/M-7 belongs to the device .*, with another row\.\nratafia: line 1503: "serial" is missing.*\n(.*\n)?ratafia: Nothing was imported\.\n$/,
    )
    assert.deepEqual(await json('devices list --model acme-brand/late'), [])
  })

  test('reports up to a hundred errors in a file at once, in the order of its lines', async () => {
    const row = (index: number) => `acme-brand,faulty,F-${index},${index % 2 === 0 ? keyIdOf(9) : 'no-key'}`
    const faultsOf = async (rows: number) => {
      const text = [COLUMNS, ...Array.from({ length: rows }, (_, index) => row(index))].join('\n')
      return (await refuses(`devices import ${await fileOf('faulty.csv', text)}`, /./)).trimEnd().split('\n')
    }
    const some = await faultsOf(6)
    assert.deepEqual(
      some.map((line) => /^ratafia: line (\d)/.exec(line)?.[1]),
      // The missing model is reported only once.
      ['2', '3', '5', '7', undefined],
    )
    assert.match(some[0] ?? '', /there is no model acme-brand\/faulty here/)
    const many = await faultsOf(500)
    assert.deepEqual([many.length, many.at(-1)], [101, 'ratafia: There may be more. Nothing was imported.'])
  })
})

/** Adds five devices: one with two revisions, one superseded, one pending, one rejected, one revoked. */
async function fill(installation: Installation, keys: readonly PrivateKey[]): Promise<void> {
  const at = new Date('2026-02-03T04:05:06.789Z')
  const add = async (
    index: number,
    serial: string,
    status: 'active' | 'superseded' | 'revoked' | 'pending' | 'rejected',
    revisions: readonly number[],
    reason: string | null = null,
  ) => {
    const key = keys[index] ?? assert.fail()
    const id: DeviceId = newDeviceId(new Date())
    const waits = status === 'pending' || status === 'rejected'
    const device = newDevice({
      ...{ ...ACME, id, serial, deviceKeyId: key.publicKey.id, status, revision: revisions.at(-1) ?? null },
      ...{ origin: 'registration', original: serial === 'T-1' ? 'acme-brand/acme-old/O-1' : null },
      ...{ registeredAt: at, decidedAt: status === 'pending' ? null : at, reason },
      decidedBy: status === 'pending' ? null : 'operator',
    })
    const body = 'a: "b, c"\r\nd: e\n'
    const request = waits ? serialRequest({ requestId: 'id', key, body }) : undefined
    assert.ok(await installation.devices.add(device, request))
    for (const revision of revisions) {
      const input = { ...ACME, serial, deviceKey: key.publicKey, revision, body: Buffer.from(`${body}é\n`) }
      const { assertion, signer } = await signSerial(input, installation)
      const stored = {
        ...{ ...ACME, serial, revision, deviceId: id, bucket: device.bucket, encoded: encode(assertion) },
        ...{ authorityId: signer.authorityId, signingKeyId: assertion.signKeyId },
      }
      assert.ok(await installation.devices.addSerialAssertion(stored, at))
    }
  }
  await add(1, 'T-1', 'superseded', [1], ' a reason, with "quotes" and é ')
  await add(0, 'T-1', 'active', [0, 2])
  await add(2, '', 'pending', [])
  await add(1, 'T-3', 'rejected', [], '=1+1')
  await add(3, 'T-4', 'revoked', [0], 'stolen')
}
