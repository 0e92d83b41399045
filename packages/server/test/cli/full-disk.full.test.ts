/**
 * Guarantee: if a file cannot be written, no part of it remains, and nothing is created that only it would describe.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { dirname, join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { before, suite, test } from 'node:test'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { ratafiaCommand } from '../../../../tools/test/programs.ts'
import { run } from '../../src/start/run.ts'
import { vectorPath } from '../support/brands.ts'
import { wordsIn } from '../support/cases.ts'
import { ciJobs, idTokenFor, MINTED, SESSION } from '../support/ci-job.ts'
import { oneDatabase } from '../support/databases.ts'
import { startCommand } from '../support/login-command.ts'
import { json } from '../support/login-stubs.ts'
import { type Finished, testProgram, type Variables } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

/** Runs a command with every disk full: it can create files, but not write to them. */
const onFullDisk = (words: readonly string[], environment: Variables): Promise<Finished> =>
  inShell('ulimit -f 0 && exec "$0" "$@"', words, environment)

async function inShell(script: string, words: readonly string[], environment: Variables): Promise<Finished> {
  const program = ['-c', script, ...ratafiaCommand()]
  const env = { PATH: process.env['PATH'], NODE_DISABLE_COMPILE_CACHE: '1', ...environment }
  const child = spawn('bash', [...program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

/** Runs a command whose standard output cannot be written to. */
async function withoutOutput(words: readonly string[], environment: Variables, input = '') {
  const stderr = new PassThrough()
  const full = () => Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' })
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full()) })
  const stdin = Readable.from(input === '' ? [] : [input])
  const code = await run(['node', 'ratafia', ...words], { environment, streams: { stdin, stdout, stderr } })
  stderr.end()
  return { code, stderr: await text(stderr) }
}

oneDatabase(() => {
  const program = testProgram()

  for (const command of ['serve', 'migrate', 'brands create --demo']) {
    test(`ratafia ${command} leaves no draft of a secret key in a new data directory`, async () => {
      const data = join(program.directory, 'new', command)
      const environment = { ...program.environment, RATAFIA_DATA_DIR: data }
      const { code, stderr } = await onFullDisk(command.split(' '), environment)
      assert.equal(code, 4, stderr)
      assert.match(stderr, /cannot be written to: this user is not allowed to write a file this large\./)
      assert.deepEqual(await readdir(data), [])
      // As soon as there is space, it works as in an empty directory.
      assert.equal((await program.run('migrate', { environment })).code, 0)
      assert.deepEqual((await readdir(data)).sort(), ['ratafia.db', 'secret.key'])
    })
  }

  test('ratafia secret rotate leaves the key unchanged', async () => {
    assert.equal((await program.run('migrate')).code, 0)
    const data = join(program.directory, 'data')
    const before = await readFile(join(data, 'secret.key'))
    const { code, stderr } = await onFullDisk(['secret', 'rotate'], program.environment)
    assert.notEqual(code, 0, stderr)
    assert.deepEqual(await readFile(join(data, 'secret.key')), before)
    assert.deepEqual(
      (await readdir(data)).filter((name) => name.endsWith('.part')),
      [],
    )
    assert.equal((await program.run('keys list')).code, 0)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const at = (name: string) => join(program.directory, 'out', name)
  const key = (name: string) => vectorPath(`world/keys/${name}.pem`)
  let service: TestService
  let environment: Variables
  let agent: string

  before(async () => {
    await mkdir(at(''))
    service = await program.serve()
    agent = at('build.json')
    await program.addAccount('build')
    for (const words of [
      'grants add build operator',
      `agents add build --account build --url ${service.baseUrl}/identity --output ${agent}`,
      `trust create-root my-root --key ${key('root')} --output ${at('my-root')}`,
      `brands create --demo --name one --output ${at('one')}`,
    ]) {
      const { code, stderr } = await program.run(words)
      assert.equal(code, 0, stderr)
    }
    environment = { ...program.environment, RATAFIA_URL: service.baseUrl, RATAFIA_AGENT_FILE: agent }
  })

  const made = async () => ({
    files: (await readdir(at(''))).sort(),
    agents: await program.json('agents list'),
    roots: await program.json('trust list'),
    brands: await program.json('brands list'),
  })
  const openSessions = async () =>
    (await program.json('tokens list')).filter(({ kind }: { kind: string }) => kind === 'developer')

  const FARM = 'farm --account build --url http://127.0.0.1/identity'

  /** Commands that create a file. OUT is the directory of the test. */
  const FILES: Readonly<Record<string, string>> = {
    'agents add': `${FARM} --output OUT/farm.json`,
    'trust create-root': `other-root --key ${key('brand')} --output OUT/other-root`,
    'brands create': `my-brand --root-key ${key('root')} --output OUT/my-brand`,
    'brands create --demo': '--name two --output OUT/demo',
    'signing-keys generate': 'OUT/key.pem',
    backup: 'OUT/all.backup',
    'devices export': 'OUT/devices.csv',
    'audit export': 'OUT/audit.jsonl',
  }
  const placedWords = (name: string, words: string) =>
    wordsIn(`${name} ${words}`).map((word) => word.replace(/^OUT(?=\/)/, at('')))
  for (const [name, words] of Object.entries(FILES)) {
    test(`ratafia ${name} leaves no file and no draft, and creates nothing`, async () => {
      const earlier = await made()
      const placed = placedWords(name, words)
      const { code, stderr } = await onFullDisk(placed, program.environment)
      assert.ok(code === 1 || code === 3, `${code}: ${stderr}`)
      assert.deepEqual(await made(), earlier, stderr)
    })
  }

  /** Commands that print a credential, which is stored nowhere else. */
  const PRINTED: Readonly<Record<string, string>> = {
    'tokens create': '--all --agent AGENT',
    'agents add': `${FARM} --direct`,
    'api-keys add': "one-brand/one-device --label 'line 1'",
    'api-keys add --direct': "one-brand/one-device --label 'line 1'",
  }
  for (const [name, words] of Object.entries(PRINTED)) {
    test(`ratafia ${name} revokes a credential that it could not print`, async () => {
      const earlier = await made()
      const placed = wordsIn(`${name} ${words}`.replace('AGENT', agent))
      const { code, stderr } = await withoutOutput(placed, environment)
      assert.match(
        stderr,
        /Standard output cannot be written: the disk is full\. Free space on it, then try again\. The .* was revoked\.\n$/,
      )
      assert.equal(code, 1)
      assert.deepEqual(await made(), earlier)
      assert.deepEqual(await openSessions(), [])
      const keys = await program.json('api-keys list')
      assert.ok(keys.every(({ revoked_at: at }: { revoked_at: string | null }) => at !== null))
    })
  }

  test('ratafia tokens rotate keeps the old token valid if the new one cannot be printed', async () => {
    const old = await program.run(['tokens', 'create', '--all', '--agent', agent, '--url', service.baseUrl])
    assert.equal(old.code, 0, old.stderr)
    const earlier = await openSessions()
    const rotating = ['tokens', 'rotate', '-', '--agent', agent]
    const { code, stderr } = await withoutOutput(rotating, environment, old.stdout)
    assert.deepEqual([code, /was revoked/.test(stderr)], [1, true], stderr)
    assert.deepEqual(await openSessions(), earlier)
  })

  // These tests create the files, so they are the last.
  for (const [name, words] of Object.entries(FILES)) {
    test(`ratafia ${name} keeps the file if its path can't be printed`, async () => {
      const earlier = (await made()).files
      const placed = placedWords(name, words)
      const { code, stderr } = await inShell('exec "$0" "$@" > /dev/full', placed, program.environment)
      assert.equal(code, 1, stderr)
      const added = (await made()).files.filter((file) => !earlier.includes(file))
      assert.equal(added.length, 1, stderr)
      assert.ok(placed.includes(at(added[0] ?? '')), added[0])
    })
  }

  test('ratafia login revokes a session that it cannot save', async () => {
    const config = at('config')
    const kept = join(config, 'ratafia')
    const gate = createServer(async (request, response) => {
      const body = request.method === 'GET' ? {} : { body: await text(request) }
      const { method = 'GET', url = '', headers } = request
      const sent = { 'content-type': 'application/json', ...picked(headers) }
      const answer = await fetch(`${service.baseUrl}${url}`, { method, headers: sent, ...body })
      // After the check of the file, before the token is issued.
      if (url.endsWith('/exchange')) {
        await rm(kept, { recursive: true })
        await writeFile(kept, '')
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
    gate.listen(0, '127.0.0.1')
    await once(gate, 'listening')
    const address = gate.address()
    assert.ok(typeof address === 'object' && address)
    const words = ['login', '--url', `http://127.0.0.1:${address.port}`, '--agent', agent]
    const loggedIn = () => startCommand(words, { XDG_CONFIG_HOME: config }).finished
    try {
      await writeFile(config, '')
      const asked = await loggedIn()
      assert.deepEqual([asked.code, asked.stdout], [1, ''])
      assert.match(asked.stderr, /credentials\.json cannot be read: a part of its path is not a directory\./)
      await rm(config)

      const ended = await loggedIn()
      assert.deepEqual([ended.code, ended.stdout], [1, ''])
      const [, id] =
        /credentials\.json .*\. The session ([0-9a-f-]+) was revoked\.\n$/.exec(ended.stderr) ?? []
      assert.ok(id, ended.stderr)
      const all = await program.json('tokens list --include-inactive')
      const session = all.find((one: { session_id: string }) => one.session_id === id)
      assert.notEqual(session?.revoked_at ?? null, null, JSON.stringify(all))
    } finally {
      gate.close()
      gate.closeAllConnections()
    }
  })
})

/** The headers that the service reads in this test. */
const picked = ({ macaroons, authorization }: IncomingHttpHeaders) => ({
  ...(typeof macaroons === 'string' && { macaroons }),
  ...(authorization !== undefined && { authorization }),
})

suite('ratafia ci login', () => {
  const jobs = ciJobs()
  const root = mint({ rootKey: Buffer.alloc(32, 1), id: 'x' })
  const macaroon = addFirstPartyCaveat(root, `session-id ${SESSION}`)
  const stored = { t: 'macaroon', v: encodeBase64Url(encodeBinary(macaroon)) }
  const credentials = Buffer.from(JSON.stringify(stored)).toString('base64')
  for (const [kind, where] of [
    ['file', 'secret/token'],
    ['dotenv', 'secret/ratafia.env'],
  ] as const) {
    test(`${kind}: revokes a session whose credential cannot be written`, async () => {
      const path = join(jobs.directory, kind, where)
      await mkdir(dirname(path), { recursive: true })
      const job = await jobs.start({
        'POST /api/v2/tokens/oidc': async (request, response, body) => {
          // After the check of the file, before the credential is issued.
          await rename(dirname(path), `${dirname(path)}-gone`)
          return json({ ...MINTED, credentials })(request, response, body)
        },
        'POST /api/v2/tokens/revoke': json({}),
      })
      const token = idTokenFor(job.url)
      const { code, stderr } = await job.login(
        ['--from', '-', '--export', `${kind}:${path}`],
        {},
        { input: token },
      )
      assert.equal(code, 1, stderr)
      assert.match(
        stderr,
        /there is no such file or directory\. Check the path\. The session [0-9a-f-]+ was revoked\.\n$/,
      )
      const revoked = job.seen.filter(({ path }) => path === '/api/v2/tokens/revoke')
      assert.deepEqual(
        revoked.map(({ body }) => JSON.parse(body)),
        [{ 'session-id': SESSION }],
      )
    })
  }
})
