/**
 * Guarantee: a database of every recorded release opens with this checkout: it migrates to the schema of a new
 * database, everything in it is shown as before, and the credentials from then still work or are still refused. This
 * checkout's database does the same with the next release.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { decode, expectType, privateKeyFromPem } from '@ratafia/assertions'
import { Secret } from 'otpauth'
import { NEXT_MIGRATION, nextRelease } from '../../../faults/world/release.ts'
import { codeAt } from '../../../packages/server/src/accounts/second-factor/totp.ts'
import { readConfig } from '../../../packages/server/src/config/config.ts'
import { migrations } from '../../../packages/server/src/database/schema/migrations/index.ts'
import { run } from '../../../packages/server/src/start/run.ts'
import { startService } from '../../../packages/server/src/start/service/service.ts'
import { createLog } from '../../../packages/server/src/telemetry/log.ts'
import {
  openSession,
  register,
  registered,
  sessionOf,
} from '../../../packages/server/test/support/devices.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import { cheapPasswords } from '../../../packages/server/test/support/passwords.ts'
import { runHere } from '../../../packages/server/test/support/program.ts'
import {
  caveatIdOf,
  getPasswordRoot,
  requestDischarge,
} from '../../../packages/server/test/support/publishers.ts'
import { whoami } from '../../../packages/server/test/support/service.ts'
import { freePort } from '../../test/free-port.ts'
import { bundled, PROGRAM, ROOT } from '../../test/programs.ts'
import { DATABASES, recordedReleases } from '../releases.ts'
import { drive } from './drive.ts'
import { pack, unpack } from './files.ts'
import { LASTING, type Made, MODEL, makeDatabase, SERIALS } from './make.ts'

/** The code of a release, in this process. */
interface Code {
  readonly run: typeof run
  readonly startService: typeof startService
}

const HERE: Code = { run, startService }

for (const { version, schema } of recordedReleases()) {
  test(`opens the database of ${version}`, () =>
    inDirectory(async (directory) => {
      const newer = migrations.slice(migrations.findIndex(({ name }) => name === schema) + 1)
      await opens(HERE, {
        directory,
        base: join(ROOT, DATABASES, version),
        ran: newer.map(({ name }) => name),
      })
    }))
}

test('the next release opens the database of this checkout', () =>
  inDirectory(async (directory) => {
    const data = join(directory, 'made')
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const environment = {
      ...{ ...LASTING, RATAFIA_DATA_DIR: data, RATAFIA_WORKERS: '1', RATAFIA_LOG_LEVEL: 'warn' },
      ...{ RATAFIA_BASE_URL: baseUrl, RATAFIA_PORT: new URL(baseUrl).port },
    }
    const commands = commandsOf(HERE, environment)
    const { start } = drive({ program: bundled(PROGRAM), directory, environment })
    const made = await makeDatabase({ directory, baseUrl, start, run: commands.succeeds })
    const base = join(directory, 'this')
    pack(data, made, base)

    const next = join(directory, 'next')
    const programs = ['packages/server/src/start/run.ts', 'packages/server/src/start/service/service.ts']
    await nextRelease(next, programs)
    const [{ run }, { startService }] = await Promise.all(programs.map((file) => import(bundled(file, next))))
    await opens({ run, startService }, { directory, base, ran: [NEXT_MIGRATION] })
  }))

interface Opened {
  /** For files. */
  readonly directory: string
  /** The path of the database's files, without their endings. */
  readonly base: string
  /** The names of the migrations that it lacks. */
  readonly ran: readonly string[]
}

/** Opens the database with this code, and checks everything. */
async function opens(code: Code, { directory, base, ran }: Opened): Promise<void> {
  const data = join(directory, 'data')
  const made = unpack(base, data)
  const environment = {
    ...{ ...LASTING, RATAFIA_DATA_DIR: data, RATAFIA_BASE_URL: made.baseUrl, RATAFIA_PORT: '0' },
    ...{ RATAFIA_WORKERS: '1', RATAFIA_RATE_LIMITS: 'off' },
  }
  const { succeeds, json } = commandsOf(code, environment)

  assert.deepEqual(await json('migrate'), { ran })
  const fresh = join(directory, 'fresh')
  await commandsOf(code, { RATAFIA_DATA_DIR: fresh }).succeeds(['migrate'])
  assert.deepEqual(schemaOf(data), schemaOf(fresh), 'a published migration was changed')

  await succeeds(['verify'])
  await succeeds(['audit', 'verify'])
  for (const [words, records] of Object.entries(made.lists)) includes(await json(words), records, words)

  const config = readConfig(environment)
  const log = createLog({ level: 'silent', pretty: false })
  const service = await code.startService({ config, log, jobs: true, passwords: cheapPasswords() })
  try {
    const baseUrl = service.origin
    await worksAndIsRefused(made, baseUrl)
    await approvesPending(made, baseUrl, succeeds)
    await logsIn(made, baseUrl)

    await succeeds(['backup', join(directory, 'backup')])
    // Processes take the leases a moment after they start.
    await eventually('the jobs run', async () =>
      (await service.installation.leases.held()).includes('audit-link'),
    )
    const { findings } = await json('status', { RATAFIA_PORT: new URL(baseUrl).port })
    const others = findings.filter(({ state }: { state: string }) => state !== 'ok')
    assert.deepEqual(others, [])
    await succeeds(['verify'])
  } finally {
    await service.close()
  }
}

async function worksAndIsRefused({ token, revokedToken, devices, model }: Made, baseUrl: string) {
  assert.equal(await whoami({ baseUrl }, token), 200)
  assert.equal(await whoami({ baseUrl }, revokedToken), 401)
  const holder = ({ key, serial, session }: Made['devices']['active']) => ({
    ...{ key: keyOf(key), serial: expectType(decode(serial), 'serial') },
    ...{ previous: session, modelText: Buffer.from(model) },
  })
  await sessionOf({ baseUrl }, holder(devices.active))
  const { status, body } = await openSession({ baseUrl }, holder(devices.revoked))
  assert.equal(status, 400)
  assert.match(body.error_list[0].message, /revoked/)
}

async function approvesPending(
  { devices, model, apiKey }: Made,
  baseUrl: string,
  succeeds: (words: readonly string[]) => Promise<string>,
) {
  const pending = {
    ...{ key: keyOf(devices.pending.key), serial: SERIALS.pending, modelText: Buffer.from(model) },
    requestHeaders: { 'api-key': apiKey },
  }
  assert.equal((await register({ baseUrl }, pending)).status, 202)
  await succeeds(['devices', 'approve', `${MODEL}/${SERIALS.pending}`, '--yes'])
  const serial = await registered({ baseUrl }, pending)
  await sessionOf({ baseUrl }, { ...pending, serial })
}

/** Logs in as snapcraft does, with the password and a code of the second factor. */
async function logsIn({ password, secondFactor }: Made, baseUrl: string) {
  const caveatId = caveatIdOf(await getPasswordRoot({ baseUrl }))
  const form = { email: 'ann@example.com', password, caveat_id: caveatId }
  assert.equal((await requestDischarge({ baseUrl }, form)).body.code, 'TWOFACTOR_REQUIRED')
  const otp = codeAt(Secret.fromBase32(secondFactor).bytes, new Date())
  assert.equal((await requestDischarge({ baseUrl }, { ...form, otp })).status, 200)
}

const keyOf = (pem: string) => privateKeyFromPem(Buffer.from(pem))

function commandsOf({ run }: Code, own: Readonly<Record<string, string>>) {
  const succeeds: Parameters<typeof makeDatabase>[0]['run'] = async (
    words,
    { input = '', environment } = {},
  ) => {
    const finished = await runHere(words, { run, input, environment: { ...own, ...environment } })
    assert.equal(finished.code, 0, `ratafia ${words.join(' ')}: ${finished.stderr}`)
    return finished.stdout
  }
  const json = async (words: string, environment: Readonly<Record<string, string>> = {}) =>
    JSON.parse(await succeeds([...words.split(' '), '--json'], { environment }))
  return { succeeds, json }
}

/** The definitions of all tables, indexes and triggers. */
function schemaOf(data: string): unknown {
  const database = new DatabaseSync(join(data, 'ratafia.db'), { readOnly: true })
  try {
    return database.prepare('select type, name, tbl_name, sql from sqlite_master order by type, name').all()
  } finally {
    database.close()
  }
}

/** Checks that a list still has every record, with every field that it had. */
function includes(now: readonly object[], before: readonly unknown[], list: string): void {
  for (const record of before) {
    const fields = Object.entries(record as object)
    const found = now.some((each) =>
      fields.every(([name, value]) => {
        const today = new Map(Object.entries(each)).get(name)
        return JSON.stringify(today) === JSON.stringify(value)
      }),
    )
    assert.ok(found, `${list} no longer has ${JSON.stringify(record)}`)
  }
}

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-recorded-'))
  try {
    await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
