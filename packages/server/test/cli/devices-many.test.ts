/**
 * Decisions about many devices at once; on SQLite alone, the questions before those that cannot be undone, and what is
 * refused before the register is read.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import type { PrivateKey } from '@ratafia/assertions'
import type { Installation } from '../../src/cli/installation.ts'
import { approvingMany } from '../../src/devices/many/approve-many.ts'
import { decideMany, type Outcome } from '../../src/devices/many/decide-many.ts'
import { rejectingMany } from '../../src/devices/many/reject-many.ts'
import { revokingMany } from '../../src/devices/many/revoke-many.ts'
import { Unavailable } from '../../src/errors.ts'
import { atTerminal } from '../support/at-terminal.ts'
import { deciding } from '../support/authorities.ts'
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

/** More than two batches. */
const MANY = 230
const someKeys = freshDeviceKeys(12)

interface Line {
  readonly result: string
  readonly name: string
  readonly id?: string
  readonly status?: string
  readonly serial?: string
  readonly message: string | null
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

  const devices = (words: readonly string[], input = '') =>
    program.run(['devices', ...words], { input, environment })
  /** The answer with `--json`, and the exit code. */
  const decided = async (words: readonly string[], input = '') => {
    const { code, stdout, stderr } = await devices([...words, '--json'], input)
    assert.match(stdout, /^[^\n]+\n$/, stderr)
    const { devices: lines, ...counts } = JSON.parse(stdout)
    return { code, stderr, counts, lines: lines as readonly Line[] }
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

  describe('approve', () => {
    test('all waiting devices of a model; those of others wait on', async () => {
      const [model, other] = [await newModel(), await newModel()]
      await askAll(model.of, 5)
      await askAll(other.of, 1)
      const planned = await decided(['approve', '--model', model.shown, '--dry-run'])
      assert.deepEqual([planned.code, planned.counts], [0, { done: 5, already: 0, failed: 0 }])
      assert.equal((await model.rows('pending')).length, 5, 'nothing was approved')
      const { code, counts, lines } = await decided(['approve', '--model', model.shown])
      assert.deepEqual([code, counts], [0, { done: 5, already: 0, failed: 0 }])
      assert.deepEqual(
        lines.map(({ status, serial }) => [status, serial]),
        [0, 1, 2, 3, 4].map((number) => ['active', `SN-${number}`]),
      )
      const [key] = keys
      assert.ok(key)
      assert.equal((await registered(service, { ...model.of, key })).fields.serial, 'SN-0')
      assert.equal((await other.rows('pending')).length, 1)
      const again = await devices(['approve', '--model', model.shown])
      assert.deepEqual([again.code, again.stdout], [0, 'There is no such device.\n'])
      assert.equal((await decided(['approve', '--all'])).counts.done, 1)
    })

    test('named, from standard input and from a file: a result for each, and exit code 1 if some failed', async () => {
      const model = await newModel()
      await askAll(model.of, 4)
      const rows = (await model.rows()).toReversed()
      const [one, two, three, four] = rows.map(({ id }) => id)
      assert.ok(one && two && three && four)
      const first = await decided(['approve', one, 'no/such/device', two])
      assert.deepEqual([first.code, first.counts], [1, { done: 2, already: 0, failed: 1 }])
      assert.deepEqual(
        first.lines.map(({ name, result }) => [name, result]),
        [
          [one, 'done'],
          ['no/such/device', 'failed'],
          [two, 'done'],
        ],
      )
      assert.match(first.lines[1]?.message ?? '', /^There is no device "no\/such\/device"/)
      assert.match(first.stderr, /"1 of 3 devices could not be approved: the list says why\."/)
      // Again, with one more: what is done stays, so a run that was cut off can be repeated.
      const lines = `# the second batch\n${one}\n\n${two}\r\n${model.shown}/SN-2\n`
      const second = await decided(['approve', '-'], lines)
      assert.deepEqual([second.code, second.counts], [0, { done: 1, already: 2, failed: 0 }])
      const file = join(program.directory, 'waiting.csv')
      assert.equal((await devices(['export', file, '--model', model.shown, '--status', 'pending'])).code, 0)
      const third = await devices(['approve', '--file', file])
      assert.equal(third.stderr, '1 device approved.\n')
      assert.match(
        third.stdout,
        new RegExp(`^DEVICE +BRAND ID .*\\n${four} +acme-brand +\\S+ +SN-3 +approved +-\\n$`),
      )
    })

    test('two that want one serial number: the first gets it, the other fails, as a dry run says', async () => {
      const model = await newModel()
      for (const key of keys.slice(0, 3)) {
        await ask({ ...model.of, key, serial: key === keys[2] ? 'OTHER' : 'SAME' })
      }
      const words = ['approve', '--model', model.shown]
      for (const dry of [['--dry-run'], []]) {
        const { code, counts, lines } = await decided([...words, ...dry])
        assert.deepEqual([code, counts], [1, { done: 2, already: 0, failed: 1 }])
        assert.deepEqual(
          lines.map(({ result }) => result),
          ['done', 'failed', 'done'],
        )
        assert.match(lines[1]?.message ?? '', /the same serial number|SAME belongs to the device/)
      }
    })

    test('two commands at once approve each device once', async () => {
      const model = await newModel()
      await askAll(model.of, 8)
      const outcomes = await Promise.all(
        [1, 2].map(async () => {
          const all: Outcome[] = []
          const decision = approvingMany({ authority: deciding('maria'), dryRun: false }, installation)
          for await (const some of decideMany({ filter: model.name }, decision, installation))
            all.push(...some)
          return all
        }),
      )
      const results = outcomes.flat().map(({ result }) => result)
      assert.equal(results.filter((result) => result === 'done').length, 8)
      assert.ok(!results.includes('failed'))
      const assertions = await Promise.all(
        (await model.rows('active')).map((device) => installation.devices.serialAssertionsOf(device)),
      )
      assert.deepEqual(
        assertions.map(({ length }) => length),
        Array(8).fill(1),
      )
    })

    test('nobody is approved without a key that can sign, and a dry run says why', async () => {
      const model = await newModel()
      await askAll(model.of, 1)
      const keysAre = (disabled_at: number | null) =>
        installation.database.query.updateTable('signing_key').set({ disabled_at }).execute()
      await keysAre(1)
      for (const dry of [['--dry-run'], []]) {
        const { code, lines } = await decided(['approve', '--model', model.shown, ...dry])
        assert.equal(code, 1)
        assert.match(lines[0]?.message ?? '', /No key here can sign serials/)
      }
      await keysAre(null)
    })
  })

  test('a dry run knows that a serial number of another brand is another one', async () => {
    const model = await newModel()
    await askAll(model.of, 1)
    const [device] = await model.rows()
    assert.ok(device)
    const models = { ...installation.models, find: () => installation.models.find(model.name) }
    const { decide } = approvingMany(
      { authority: deciding('maria'), dryRun: true },
      { ...installation, models },
    )
    const outcomes = await decide([device, { ...device, brandId: 'other-brand' }])
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['done', 'done'],
    )
  })

  test('a device that is removed meanwhile fails, and the others are decided', async () => {
    for (const [decision, message] of [
      [
        (deps: Installation) => approvingMany({ authority: deciding('maria'), dryRun: false }, deps),
        /^There is no device "/,
      ],
      [
        (deps: Installation) =>
          rejectingMany({ authority: deciding('maria'), dryRun: false, reason: 'No' }, deps),
        /no longer exists\.$/,
      ],
    ] as const) {
      const model = await newModel()
      await askAll(model.of, 2)
      const [stays, goes] = await model.rows()
      assert.ok(stays && goes)
      const { query } = installation.database
      const changeBy: Installation['changeBy'] = (author) => async (work) => {
        await query.deleteFrom('device_registration').where('device_id', '=', goes.id).execute()
        await query.deleteFrom('device').where('id', '=', goes.id).execute()
        return installation.changeBy(author)(work)
      }
      const outcomes: Outcome[] = []
      const chosen = { names: [goes.id, stays.id] }
      for await (const some of decideMany(chosen, decision({ ...installation, changeBy }), installation))
        outcomes.push(...some)
      assert.deepEqual(
        outcomes.map(({ name, result }) => [name, result]),
        [
          [goes.id, 'failed'],
          [stays.id, 'done'],
        ],
      )
      assert.match(outcomes[0]?.message ?? '', message)
    }
  })

  /** Copies of one row of this status, which no test asks about as devices. */
  const copies = async (model: Awaited<ReturnType<typeof newModel>>, status: 'pending' | 'active') => {
    const { query } = installation.database
    const row = await query
      .selectFrom('device')
      .selectAll()
      .where('model', '=', model.name.model)
      .where('status', '=', status)
      .limit(1)
      .executeTakeFirstOrThrow()
    const more = Array.from({ length: MANY - 1 }, (_, index) => ({
      ...row,
      id: newDeviceId(),
      serial: row.serial === '' ? '' : `${row.serial}-${index}`,
      device_key_id: `copy-${index}`.padEnd(64, '-'),
    }))
    for (let start = 0; start < more.length; start += 100) {
      await query
        .insertInto('device')
        .values(more.slice(start, start + 100))
        .execute()
    }
  }

  test('reject: all of a model, or those from one network, with the reason for each', async () => {
    const model = await newModel()
    await askAll(model.of, 4)
    const none = await decided([
      'reject',
      '--model',
      model.shown,
      '--from',
      '203.0.114.0/24',
      '--reason',
      'x',
    ])
    assert.deepEqual([none.code, none.counts], [0, { done: 0, already: 0, failed: 0 }])
    const some = await decided([
      ...['reject', '--model', model.shown],
      ...['--from', '203.0.113.0/24', '--reason', 'A flood'],
    ])
    assert.deepEqual([some.code, some.counts], [0, { done: 2, already: 0, failed: 0 }])
    assert.deepEqual(
      (await model.rows('rejected')).map(({ serial, reason }) => [serial, reason]),
      [
        ['SN-2', 'A flood'],
        ['SN-0', 'A flood'],
      ],
    )
    await copies(model, 'pending')
    const pending = (await model.rows('pending')).length
    const rest = await decided(['reject', '--model', model.shown, '--reason', 'Not ours', '--yes'])
    assert.deepEqual([rest.code, rest.counts], [0, { done: pending, already: 0, failed: 0 }])
    const rejected = (await model.rows('rejected')).map(({ id }) => id)
    assert.equal(rejected.length, MANY + 3)
    const entries = await installation.audit.list({ action: 'device.reject' }, { limit: 1000 })
    const subjects = entries.map(({ subject }) => subject).filter((id) => rejected.some((one) => one === id))
    assert.deepEqual(subjects.toSorted(), rejected.toSorted(), 'each has its entry')
    const [first] = rejected
    assert.ok(first)
    const again = await decided(['reject', first, first, 'x', '--reason', 'x'])
    assert.deepEqual(again.counts, { done: 0, already: 1, failed: 1 })
  })

  test('revoke: all of a model in several batches; when the database goes away, what is done stays', async () => {
    const model = await newModel('auto')
    const [key] = keys
    assert.ok(key)
    await registered(service, { ...model.of, key, serial: 'SN' })
    await copies(model, 'active')
    const decision = revokingMany({ authority: deciding('maria'), dryRun: false }, installation)
    let batches = 0
    const cutOff = {
      ...decision,
      decide: (batch: Parameters<typeof decision.decide>[0]) => {
        if (batches++ > 0) throw new Unavailable('the database is away')
        return decision.decide(batch)
      },
    }
    const done: Outcome[] = []
    await assert.rejects(async () => {
      for await (const some of decideMany({ filter: model.name }, cutOff, installation)) done.push(...some)
    }, Unavailable)
    assert.ok(done.length > 0 && done.length < MANY)
    assert.equal((await model.rows('revoked')).length, done.length)
    const dry = await decided(['revoke', '--model', model.shown, '--dry-run'])
    assert.equal(dry.counts.done, MANY - done.length)
    const rest = await decided(['revoke', '--model', model.shown, '--reason', 'recalled', '--yes'])
    assert.deepEqual([rest.code, rest.counts], [0, { done: MANY - done.length, already: 0, failed: 0 }])
    assert.equal((await model.rows('revoked')).length, MANY)
  })

  if (kind === 'sqlite')
    test('ways that contradict each other, and files that name nothing, are refused', async () => {
      for (const [words, message, input] of [
        [['approve'], /Name devices, or give --file, --model or --all/],
        [['approve', 'x', '--all'], /one of these ways/],
        [['approve', '--file', 'x', '--model', 'a/b'], /one of these ways/],
        [['approve', 'x', '--from', '192.0.2.1'], /--from goes with --model or --all/],
        [['approve', '--all', '--from', '192.0.2.0/33'], /neither an address nor a network/],
        [['approve', '--all', '--from', 'example.com'], /neither an address nor a network/],
        [['approve', '--all', '--serial', 'SN'], /--serial is for one device: name only that/],
        [['approve', 'x', '--serial', 'SN', '--dry-run'], /--serial .* leave --dry-run out/],
        [['approve', '-'], /Standard input names no device/, '\n# none\n'],
        [['revoke', '--all', '--from', '192.0.2.1'], /unknown option '--from'/],
      ] as const) {
        const { code, stdout, stderr } = await devices(words, input)
        assert.deepEqual([code, stdout], [2, ''], words.join(' '))
        assert.match(stderr, message)
      }
      const missing = await devices(['approve', '--file', 'no-such-file'])
      assert.match(missing.stderr, /no-such-file cannot be read/)
    })

  test('the list of waiting devices has the proposed serial, the address and the time', async () => {
    const model = await newModel()
    await askAll(model.of, 2)
    const { stdout } = await devices(['list', '--status', 'pending', '--model', model.shown])
    assert.match(stdout, /^ID +BRAND ID +MODEL +SERIAL +ADDRESS +REGISTERED AT\n/)
    assert.match(stdout, /SN-1 +198\.51\.100\.7 +\d{4}-.*\n.*SN-0 +203\.0\.113\.7 +\d{4}-/)
  })

  if (kind === 'sqlite')
    describe('at a terminal', () => {
      const answering = (words: readonly string[], answer: string) =>
        atTerminal(words, answer, { ...program.environment, ...environment })

      test('revoking asks, also for one device; approving asks where it is not named', async () => {
        const model = await newModel('auto')
        const [one, two] = keys
        assert.ok(one && two)
        for (const [index, key] of [one, two].entries()) {
          await registered(service, { ...model.of, key, serial: `T-${index}` })
        }
        const name = `${model.shown}/T-0`
        const no = await answering(['devices', 'revoke', name], 'y\r')
        assert.deepEqual([no.code, no.asked, no.stdout], [1, true, ''])
        assert.match(
          no.stderr,
          /T-0, active\) loses its sessions and gets nothing any more\. This cannot be undone\./,
        )
        assert.equal((await model.rows('active')).length, 2)
        const many = await answering(['devices', 'revoke', '--model', model.shown], 'n\r')
        assert.match(
          many.stderr,
          /^2 active devices of acme-brand\/many-\d+ will be revoked\. They lose their sessions/,
        )
        assert.equal((await model.rows('active')).length, 2)
        const yes = await answering(['devices', 'revoke', name], 'T-0\r')
        assert.deepEqual([yes.code, yes.asked], [0, true], yes.stderr)
        const script = await program.run(['devices', 'revoke', '--model', model.shown], { environment })
        assert.deepEqual([script.code, script.stdout], [2, ''])
        assert.equal((await answering(['devices', 'revoke', '--model', model.shown], '2\r')).code, 1)
        const forced = await answering(['devices', 'revoke', '--model', model.shown, '--yes'], 'n\r')
        assert.deepEqual([forced.code, forced.asked], [0, false], forced.stderr)
        assert.equal((await model.rows('revoked')).length, 2)

        const waiting = await newModel()
        await askAll(waiting.of, 1)
        const all = await answering(['devices', 'approve', '--model', waiting.shown], '\r')
        assert.deepEqual([all.code, all.asked], [1, true])
        assert.match(all.stderr, /^1 pending device of acme-brand\/many-\d+ will be approved\.\n/)
        const named = await answering(['devices', 'approve', `${waiting.shown}/SN-0`], 'n\r')
        assert.deepEqual([named.code, named.asked], [0, false], named.stderr)
      })

      test('emptying an allow-list asks, and a dry run counts', async () => {
        const model = await newModel()
        const file = join(program.directory, `${model.name.model}.csv`)
        await writeFile(file, 'serial\nA-1\nA-2\nA-3\n')
        const list = (...words: string[]) =>
          program.run(['allow-list', ...words, '--model', model.shown], { environment })
        assert.equal((await list('import', file)).code, 0)
        assert.equal((await list('remove', '--all', '--dry-run')).stdout, '3 entries would be removed.\n')
        assert.equal(
          (await list('remove', '--serial', 'A-1', '--dry-run')).stdout,
          '1 entry would be removed.\n',
        )
        const words = ['allow-list', 'remove', '--all', '--model', model.shown]
        const no = await answering(words, 'y\r')
        assert.deepEqual([no.code, no.asked], [1, true])
        assert.match(no.stderr, /^All 3 entries of the allow-list of acme-brand\/many-\d+ will be removed/)
        assert.match((await list('list')).stdout, /A-1[\s\S]*A-3/)
        assert.equal((await program.run(words, { environment })).code, 2)
        const yes = await answering(words, '3\r')
        assert.deepEqual([yes.code, yes.stdout], [0, '3 entries removed.\n'], yes.stderr)
      })
    })
})
