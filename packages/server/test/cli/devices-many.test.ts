/**
 * Decisions about many devices at once. Confirmations, and refusals that do not read the register, are tested
 * on SQLite only.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { PrivateKey } from '@ratafia/assertions'
import type { Installation } from '../../src/installation.ts'
import { atTerminal } from '../support/at-terminal.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  addAcmeModel,
  freshDeviceKeys,
  type RegisterInput,
  register,
  registered,
  withAcme,
} from '../support/devices.ts'
import { testProgram } from '../support/program.ts'
import { testService } from '../support/service.ts'

const someKeys = freshDeviceKeys(12)

interface Counts {
  readonly total: number
  readonly done: number
  readonly unchanged: number
  readonly refused: number
}

interface Refused {
  readonly subject: string
  readonly code: string
  readonly message: string
}

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, {
    RATAFIA_SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
    RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
  })
  const program = testProgram(fresh)
  const environment = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') }
  let installation: Installation
  let keys: readonly PrivateKey[]
  before(async () => {
    installation = service.installation
    await withAcme(installation)
    keys = await someKeys
  })

  const run = (words: string, input = '') => program.run(words, { input, environment })
  const devices = (words: string, input?: string) => run(`devices ${words}`, input)
  /** Runs the command with `--json`. Returns its exit code, counts and refusals. */
  const decided = async (words: string, input = '') => {
    const { code, stdout, stderr } = await devices(`${words} --json`, input)
    assert.match(stdout, /^[^\n]+\n$/, stderr)
    const { jobs = [], previews = jobs, refused = [], unknown = refused } = JSON.parse(stdout)
    const counts = (['total', 'done', 'unchanged', 'refused'] as const).map(
      (name) => previews.reduce((all: number, job: Counts) => all + job[name], 0) as number,
    )
    return { code, stderr, counts, refused: (previews[0]?.first_refused ?? unknown) as readonly Refused[] }
  }

  let models = 0
  const newModel = async (registration: 'approval' | 'auto' = 'approval') => {
    const model = `many-${++models}`
    const modelText = await addAcmeModel(installation, model, { policy: { registration } })
    const name = { brandId: ACME.brandId, model }
    return {
      name,
      shown: `${ACME.brandId}/${model}`,
      of: { model, modelText },
      rows: (status?: 'pending' | 'active' | 'rejected' | 'revoked') =>
        installation.devices.list({ ...name, status, limit: 1000 }),
    }
  }
  const ask = async (input: RegisterInput, from = '192.0.2.1') => {
    const { status } = await register(service, { ...input, requestHeaders: { 'x-forwarded-for': from } })
    assert.equal(status, 202)
  }
  const askAll = async (of: RegisterInput, count: number) => {
    for (const [index, key] of keys.slice(0, count).entries()) {
      await ask({ ...of, key, serial: `SN-${index}` }, index % 2 === 0 ? '203.0.113.7' : '198.51.100.7')
    }
  }

  test('approve approves all pending devices of a model, and none of other models', async () => {
    const [model, other] = [await newModel(), await newModel()]
    await askAll(model.of, 5)
    await askAll(other.of, 1)
    const planned = await decided(`approve --model ${model.shown} --dry-run`)
    assert.deepEqual([planned.code, planned.counts], [0, [5, 5, 0, 0]])
    assert.equal((await model.rows('pending')).length, 5, 'the dry run approved a device')
    const { code, stdout, stderr } = await devices(`approve --all --model ${model.shown}`)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^The job [0-9a-f-]{36} \(devices\.approve\) finished: 5 of 5 records done\.\n$/)
    assert.deepEqual(
      (await model.rows('active')).toReversed().map(({ serial, decidedBy }) => [serial, decidedBy]),
      [0, 1, 2, 3, 4].map((number) => [`SN-${number}`, 'operator']),
    )
    const [key] = keys
    assert.ok(key)
    assert.equal((await registered(service, { ...model.of, key })).fields.serial, 'SN-0')
    assert.equal((await other.rows('pending')).length, 1)
    const again = await devices(`approve --model ${model.shown}`)
    assert.deepEqual([again.code, again.stdout], [0, 'No device matches, so none was approved.\n'])
    assert.deepEqual((await decided('approve --all')).counts, [1, 1, 0, 0])
    const [, id = ''] = /job ([0-9a-f-]{36})/.exec(stdout) ?? []
    assert.match((await run('jobs list')).stdout, new RegExp(`${id} .* operator `))
    const [entry] = await installation.audit.list({ action: 'device.approve' }, { limit: 1 })
    assert.equal(entry?.actor, 'operator')
    assert.notEqual(JSON.parse(entry.details).job, undefined)
  })

  test('reads devices from arguments, standard input or a file, and exits with 1 if one is refused', async () => {
    const model = await newModel()
    await askAll(model.of, 4)
    const [one, two, , four] = (await model.rows()).toReversed().map(({ id }) => id)
    const first = await decided(`approve ${one} no/such/device ${two}`)
    assert.deepEqual([first.code, first.counts], [1, [2, 2, 0, 0]])
    assert.deepEqual(
      first.refused.map(({ subject, code }) => [subject, code]),
      [['no/such/device', 'no-such-record']],
    )
    assert.match(first.stderr, /^no\/such\/device: There is no device "no\/such\/device"/)
    assert.match(first.stderr, /"1 of 3 devices could not be approved\. The list shows the reasons\."/)
    // The same devices and one more: finished decisions stay, so an interrupted run can be repeated.
    const lines = `# the second batch\n${one}\n\n${two}\r\n${model.shown}/SN-2\n`
    const second = await decided('approve -', lines)
    assert.deepEqual([second.code, second.counts], [0, [3, 1, 2, 0]])
    const file = join(program.directory, 'waiting.csv')
    assert.equal((await devices(`export ${file} --model ${model.shown} --status pending`)).code, 0)
    const third = await devices(`approve --file ${file}`)
    assert.match(third.stdout, /finished: 1 of 1 record done\.\n$/)
    assert.ok((await model.rows('active')).some(({ id }) => id === four))
  })

  test('approves no device without a key that can sign, and a dry run shows the reason', async () => {
    const model = await newModel()
    await askAll(model.of, 1)
    const keysAre = (disabled_at: number | null) =>
      installation.database.query.updateTable('signing_key').set({ disabled_at }).execute()
    await keysAre(1)
    for (const dry of ['--dry-run', '']) {
      const { counts, refused } = await decided(`approve --model ${model.shown} ${dry}`)
      assert.deepEqual(counts, [1, 0, 0, 1])
      assert.match(refused[0]?.message ?? '', /No key here can sign serials/)
    }
    await keysAre(null)
  })

  test('the next command that waits for a queued job runs it', async () => {
    const model = await newModel()
    await askAll(model.of, 2)
    const left = await devices(`approve --model ${model.shown} --no-wait --json`)
    assert.equal(left.code, 0, left.stderr)
    const [{ id, state, by }] = JSON.parse(left.stdout).jobs
    assert.deepEqual([state, by, (await model.rows('active')).length], ['queued', 'operator', 0])
    assert.match((await run(`jobs wait ${id}`)).stdout, /finished: 2 of 2 records done/)
    assert.equal((await model.rows('active')).length, 2)
    const again = await devices(`approve --model ${model.shown} --status active --no-wait --json`)
    const cancelled = await run(`jobs cancel ${JSON.parse(again.stdout).jobs[0].id}`)
    assert.match(cancelled.stdout, /is cancelled: 0 of 2 records done\. Cancelled by operator\./)
  })

  test('release ends the quarantine of devices', async () => {
    const model = await newModel('auto')
    for (const [index, key] of keys.slice(0, 3).entries()) {
      await registered(service, { ...model.of, key, serial: `Q-${index}` })
    }
    const quarantined = (serials: readonly string[]) =>
      installation.database.query
        .updateTable('device')
        .set({ quarantined_at: 1 })
        .where('model', '=', model.name.model)
        .where('serial', 'in', serials)
        .execute()
    await quarantined(['Q-0', 'Q-1'])
    assert.deepEqual((await decided(`release --model ${model.shown}`)).counts, [2, 2, 0, 0])
    await quarantined(['Q-1'])
    const named = await decided(`release ${model.shown}/Q-0 ${model.shown}/Q-1`)
    assert.deepEqual(named.counts, [2, 1, 1, 0])
    assert.ok((await model.rows()).every(({ quarantinedAt }) => quarantinedAt === null))
  })

  /** Stores where the devices were seen, which the service would do only some seconds later. */
  const seen = async (model: Awaited<ReturnType<typeof newModel>>) =>
    installation.activities.saw(
      (await model.rows()).map((device, index) => ({
        ...device,
        at: new Date(),
        address: index % 2 === 0 ? '198.51.100.7' : '203.0.113.7',
      })),
    )

  test('reject applies to all devices of a model or of one network, and stores the reason', async () => {
    const model = await newModel()
    await askAll(model.of, 4)
    await seen(model)
    const reject = `reject --model ${model.shown}`
    const none = await decided(`${reject} --address 203.0.114.0/24 --reason x`)
    assert.deepEqual([none.code, none.counts], [0, [0, 0, 0, 0]])
    const some = await decided(`${reject} --address 203.0.113.0/24 --reason flood`)
    assert.deepEqual([some.code, some.counts], [0, [2, 2, 0, 0]])
    const rejected = () => model.rows('rejected')
    assert.deepEqual(
      (await rejected()).map(({ serial, reason }) => [serial, reason]),
      ['SN-2', 'SN-0'].map((serial) => [serial, 'flood']),
    )
    const rest = await decided(`${reject} --reason unknown --yes`)
    assert.deepEqual([rest.code, rest.counts], [0, [2, 2, 0, 0]])
    const [first] = await rejected()
    const again = await decided(`reject ${first?.id} ${first?.id} x --reason x`)
    assert.deepEqual([again.counts, again.refused.length], [[1, 0, 1, 0], 1])
  })

  if (kind === 'sqlite')
    test('refuses contradictory selections, and input without devices', async () => {
      await program.refusesEach`
        devices approve | 2 | Select devices either by name, or with --file, or with --all or filters
        devices approve x --all | 2 | Select devices either
        devices approve --file x --model a/b | 2 | Select devices either
        devices approve x --address 192.0.2.1 | 2 | Select devices either
        devices approve --all --address 192.0.2.0/33 | 2 | neither an address nor a network
        devices approve --all --address example.com | 2 | neither an address nor a network
        devices approve --all --serial SN | 2 | --serial works for one device\. Name only that device
        devices approve x y --serial SN --dry-run | 2 | --serial works for one device\. Name only that device
        devices approve --file no-such-file | 1 | no-such-file cannot be read`
      await program.refuses('devices approve -', /Standard input contains no device/, 2, {
        input: '\n# none\n',
      })
    })

  test('the list of pending devices shows the proposed serial, the address and the time', async () => {
    const model = await newModel()
    await askAll(model.of, 2)
    await seen(model)
    const { stdout } = await devices(`list --status pending --model ${model.shown}`)
    assert.match(stdout, /^ID +BRAND ID +MODEL +SERIAL +LAST ADDRESS +REGISTERED AT\n/)
    assert.match(stdout, /SN-1 +198\.51\.100\.7 +\d{4}-.*\n.*SN-0 +203\.0\.113\.7 +\d{4}-/)
  })

  if (kind === 'sqlite')
    describe('at a terminal', () => {
      const answering = (words: string, answer: string) =>
        atTerminal(words, answer, { ...program.environment, ...environment })

      test('revoke always asks for confirmation, and approve asks unless devices are named', async () => {
        const model = await newModel('auto')
        for (const [index, key] of keys.slice(0, 2).entries()) {
          await registered(service, { ...model.of, key, serial: `T-${index}` })
        }
        const one = `devices revoke ${model.shown}/T-0`
        const all = `devices revoke --model ${model.shown}`
        const no = await answering(one, 'y\r')
        assert.deepEqual([no.code, no.asked, no.stdout], [1, true, ''])
        assert.match(
          no.stderr,
          /T-0, active\) loses its sessions, and can neither register nor open sessions again\. This cannot be undone\./,
        )
        const many = await answering(all, 'n\r')
        assert.match(many.stderr, /^2 devices will be revoked\. They lose their sessions/)
        assert.equal((await model.rows('active')).length, 2)
        const yes = await answering(one, 'T-0\r')
        assert.deepEqual([yes.code, yes.asked], [0, true], yes.stderr)
        const script = await run(all)
        assert.deepEqual([script.code, script.stdout], [2, ''])
        assert.equal((await answering(all, '2\r')).code, 1)
        const forced = await answering(`${all} --yes`, 'n\r')
        assert.deepEqual([forced.code, forced.asked], [0, false], forced.stderr)
        assert.equal((await model.rows('revoked')).length, 2)

        const waiting = await newModel()
        await askAll(waiting.of, 1)
        const unnamed = await answering(`devices approve --model ${waiting.shown}`, '\r')
        assert.deepEqual([unnamed.code, unnamed.asked], [1, true])
        assert.match(unnamed.stderr, /^1 device will be approved\.\n/)
        const named = await answering(`devices approve ${waiting.shown}/SN-0`, 'n\r')
        assert.deepEqual([named.code, named.asked], [0, false], named.stderr)
      })

      test('allow-list remove --all asks for confirmation, and a dry run counts', async () => {
        const model = await newModel()
        const file = join(program.directory, `${model.name.model}.csv`)
        await writeFile(file, 'serial\nA-1\nA-2\nA-3\n')
        const list = async (words: string) => (await run(`allow-list ${words} --model ${model.shown}`)).stdout
        await list(`import ${file}`)
        assert.equal(await list('remove --all --dry-run'), '3 entries would be removed.\n')
        assert.equal(await list('remove --serial A-1 --dry-run'), '1 entry would be removed.\n')
        const words = `allow-list remove --all --model ${model.shown}`
        const no = await answering(words, 'y\r')
        assert.deepEqual([no.code, no.asked], [1, true])
        assert.match(no.stderr, /^This removes all 3 entries of the allow-list of acme-brand\/many-\d+\./)
        assert.match(await list('list'), /A-1[\s\S]*A-3/)
        assert.equal((await run(words)).code, 2)
        const yes = await answering(words, '3\r')
        assert.deepEqual([yes.code, yes.stdout], [0, '3 entries removed.\n'], yes.stderr)
      })
    })
})
