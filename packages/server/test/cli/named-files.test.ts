/** Messages name a missing file of an option or a variable, and a pipe is read like a file. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { bundled, PROGRAM } from '../../../../tools/test/programs.ts'
import { COMMAND_VARIABLES } from '../../src/config/variables/commands.ts'
import { VARIABLES } from '../../src/config/variables.ts'
import { createRatafia } from '../../src/start/run.ts'
import { vectorPath } from '../support/brands.ts'
import { line } from '../support/cases.ts'
import { idTokenFor, NOWHERE } from '../support/ci-job.ts'
import { oneDatabase } from '../support/databases.ts'
import { runHere, testProgram } from '../support/program.ts'

const MISSING = '/nonexistent/named-file'

const leavesOf = (command: Command, path = ''): readonly (readonly [string, Command])[] =>
  command.commands.flatMap((child) => {
    const name = `${path} ${child.name()}`.trim()
    return child.commands.length > 0 ? leavesOf(child, name) : [[name, child] as const]
  })

const readsFile = ({ registeredArguments, options }: Command): boolean =>
  registeredArguments.some((argument) => /file|path/.test(argument.name())) ||
  options.some(({ flags, long }) => long !== '--output' && /<(file|path)>/.test(flags))

oneDatabase(() => {
  const program = testProgram()
  const key = (name: string) => vectorPath(`world/keys/${name}.pem`)
  before(async () => assert.equal((await program.run('migrate')).code, 0))

  const DATABASE_FILES: readonly (readonly string[])[] = [
    ['allow-list', 'import', `${MISSING}.csv`, '--model', 'a/b'],
    ['allow-list', 'remove', `${MISSING}.csv`, '--model', 'a/b', '--yes'],
    ['assertions', 'sign', MISSING],
    ['brands', 'add', '--account', MISSING, '--account-key', key('root'), '--signing-key', key('root')],
    ['brands', 'create', 'x', '--root-key', MISSING, '--output', join(MISSING, 'x')],
    ['devices', 'approve', '--file', MISSING],
    ['devices', 'import', `${MISSING}.csv`],
    ['hardware-identities', 'import', MISSING],
    ['import', 'database', MISSING],
    ['import', 'serial-vault', MISSING],
    ['issuers', 'add', 'https://x.example', '--kind', 'custom', '--jwks', MISSING],
    ['models', 'add', MISSING, '--registration', 'auto'],
    ['models', 'update', MISSING],
    ['packages', 'import', `${MISSING}.json`],
    ['publishers', 'test', 'x', '--claims', MISSING],
    ['restore', MISSING],
    ['signing-keys', 'add', MISSING],
    ['tokens', 'attenuate', `file:${MISSING}`, '--until', '1h'],
    ['tokens', 'create', '--all', '--agent', MISSING],
    ['trust', 'add', MISSING],
    ['trust', 'create-root', 'x', '--key', MISSING, '--output', join(MISSING, 'x')],
  ]
  for (const words of DATABASE_FILES) {
    const place = words.findIndex((word) => word.includes(MISSING))
    test(`${words.slice(0, place + 1).join(' ')} names the missing file`, async () => {
      const { code, stderr } = await program.run(words)
      assert.ok(code === 1 || code === 2, `${code}: ${stderr}`)
      assert.match(stderr, new RegExp(`${MISSING}\\S* cannot be read: there is no such file`))
    })
  }

  /** Commands that write the file, or that read it like a command in the table. */
  const ELSEWHERE = line`backup 'devices export' 'audit export' 'signing-keys generate' 'agents add' login`
  const LIKE: Readonly<Record<string, string>> = {
    'devices reject': 'devices approve',
    'devices revoke': 'devices approve',
    'devices release': 'devices approve',
    'issuers refresh': 'issuers add',
    'signing-keys certify': 'signing-keys add',
    'tokens rotate': 'tokens create',
  }
  test('every command that reads a file is in the table above', async () => {
    const inTable = DATABASE_FILES.map((words) => words.slice(0, 2).join(' '))
    const missing = leavesOf(await createRatafia())
      .filter(([, command]) => readsFile(command))
      .map(([name]) => LIKE[name] ?? name)
      .filter((name) => !ELSEWHERE.includes(name) && !inTable.some((words) => words.startsWith(name)))
    assert.deepEqual(missing, [])
  })

  const FILES = Object.keys(VARIABLES).filter((name) => /_FILE$/.test(name))
  for (const name of FILES) {
    // This file can be missing, which means that the key is not being rotated.
    if (name === 'RATAFIA_PREVIOUS_SECRET_KEY_FILE') continue
    test(`${name}: the message names the missing file`, async () => {
      const more = { RATAFIA_WEBHOOK_URL: 'https://hooks.example.org/', RATAFIA_URL: 'https://x.example' }
      const { RATAFIA_DATA_DIR = '' } = program.environment
      const service = {
        RATAFIA_DATA_DIR,
        RATAFIA_WEBHOOK_URL: name.includes('WEBHOOK') ? more.RATAFIA_WEBHOOK_URL : '',
      }
      const { code, stderr } = !(name in COMMAND_VARIABLES)
        ? await program.run('config check', { environment: { ...service, [name]: MISSING } })
        : await runHere(name === 'RATAFIA_ID_TOKEN_FILE' ? ['ci', 'login', '--audience', 'x'] : ['whoami'], {
            environment: { ...NOWHERE, RATAFIA_URL: more.RATAFIA_URL, [name]: MISSING },
          })
      assert.ok(code === 1 || code === 4, `${code}: ${stderr}`)
      assert.ok(stderr.includes(MISSING) && stderr.includes(name), stderr)
      assert.match(stderr, /there is no such file/)
    })
  }
})

suite('a pipe', () => {
  const program = testProgram()
  const at = (name: string) => join(program.directory, name)
  const world = (name: string) => vectorPath(`world/${name}`)
  before(async () => {
    const words = [
      ['migrate'],
      ['trust', 'add', world('account-test-root'), world('account-key-test-root')],
      line`brands add --account ${world('account-acme-brand')} --account-key ${world('account-key-acme-brand')}
        --signing-key ${world('keys/brand.pem')}`,
      ['models', 'add', world('model-acme-classic'), '--registration', 'approval'],
      ['backup', at('all.backup')],
      ['devices', 'export', at('devices.csv')],
    ]
    for (const each of words) {
      const { code, stderr } = await program.run(each)
      assert.equal(code, 0, stderr)
    }
    await copyFile(world('account-test-root'), at('account-test-root'))
    await writeFile(at('packages.csv'), 'name,snap_id\nhello,id-of-hello\n')
    await writeFile(at('packages.json'), '[{"name":"hello","snap_id":"id-of-hello"}]')
    await writeFile(at('serials.csv'), 'serial\nA-1\n')
    await writeFile(at('claims.json'), '{"sub":"x"}')
    await writeFile(at('token'), idTokenFor('x'))
    await writeFile(at('statement.json'), '{"type":"model"}')
  })

  /** Runs a command with a named pipe, into which the file is written. */
  async function fromPipe(words: readonly string[], file: string) {
    const pipe = at(`pipe-${crypto.randomUUID()}`)
    await promisify(execFile)('mkfifo', [pipe])
    const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', file, pipe], { stdio: 'ignore' })
    const ended = once(writer, 'close')
    const finished = await program.run(words.map((word) => word.replace('PIPE', pipe)))
    writer.kill()
    await ended
    return finished
  }

  /** Commands that must print the same for a pipe as for the file. */
  const READS: readonly (readonly [words: readonly string[], file: string])[] = [
    [['restore', 'PIPE', '--dry-run'], 'all.backup'],
    [['devices', 'import', 'PIPE', '--format', 'csv', '--dry-run'], 'devices.csv'],
    [['packages', 'import', 'PIPE', '--dry-run'], 'packages.csv'],
    [['packages', 'import', 'PIPE', '--dry-run'], 'packages.json'],
    [['allow-list', 'import', 'PIPE', '--model', 'acme-brand/acme-classic', '--dry-run'], 'serials.csv'],
    [['publishers', 'test', 'none', '--claims', 'PIPE'], 'claims.json'],
    [['publishers', 'test', 'none', '--claims', 'PIPE'], 'token'],
    [['assertions', 'sign', 'PIPE'], 'statement.json'],
    [['trust', 'add', 'PIPE'], 'account-test-root'],
    [['import', 'serial-vault', 'PIPE', '--dry-run'], 'statement.json'],
  ]
  for (const [words, file] of READS) {
    test(`${words.join(' ')} reads ${file} like a regular file`, async () => {
      const named = await program.run(words.map((word) => word.replace('PIPE', at(file))))
      const piped = await fromPipe(words, at(file))
      const plain = ({ code, stdout, stderr }: typeof piped) => ({
        code,
        said: `${stdout}${stderr}`.replaceAll(
          /\/\S*(pipe-[0-9a-f-]+|all\.backup|statement\.json|account-test-root)/g,
          'FILE',
        ),
      })
      assert.deepEqual(plain(piped), plain(named))
    })
  }

  const EITHER: readonly (readonly string[])[] = [
    ['packages', 'import', 'PIPE'],
    ['allow-list', 'import', 'PIPE', '--model', 'acme-brand/acme-classic'],
    ['allow-list', 'remove', 'PIPE', '--model', 'acme-brand/acme-classic', '--yes'],
    ['devices', 'import', 'PIPE'],
  ]
  for (const words of EITHER) {
    test(`${words.join(' ')} refuses input that is neither CSV nor a JSON list`, async () => {
      const { code, stderr } = await fromPipe(words, at('statement.json'))
      assert.equal(code, 2)
      assert.match(stderr, /pipe-\S+ is neither CSV nor a JSON list\.( Pass --format\.)?\n/)
    })
  }

  test('a killed command leaves behind nothing that it read from a pipe', async () => {
    const [pipe, temporary] = [at('unfinished'), at('tmp')]
    await mkdir(temporary)
    await promisify(execFile)('mkfifo', [pipe])
    const { child, finished } = program.launch(['restore', pipe, '--dry-run'], { TMPDIR: temporary })
    const writer = await open(pipe, 'w')
    // A pipe holds 64 KiB, so the command has read a part when all of it is written.
    await writer.writeFile(Buffer.alloc(1024 * 1024))
    child.kill('SIGKILL')
    await finished
    await writer.close()
    assert.deepEqual(await readdir(temporary), [])
  })

  const EXPORTS: readonly (readonly string[])[] = [
    ['audit', 'export', 'dev/stdout', '--format', 'csv'],
    ['devices', 'export', 'dev/stdout', '--format', 'csv'],
  ]
  for (const words of EXPORTS) {
    test(`ratafia ${words.join(' ')} writes only the export to a redirected standard output`, async () => {
      await mkdir(at('dev'), { recursive: true })
      await symlink('/proc/self/fd/1', at('dev/stdout')).catch(() => {})
      const redirected = 'cd "$1" && shift && { echo before; "$@"; echo after; } > redirected'
      const ran = ['-c', redirected, 'sh', program.directory, process.execPath, bundled(PROGRAM), ...words]
      const env = { PATH: process.env['PATH'], ...program.environment }
      const { stderr } = await promisify(execFile)('sh', ran, { env })
      assert.match(stderr, /exported to dev\/stdout\.\n$/)
      const plain = await program.run([...words.slice(0, 2), ...words.slice(3)])
      assert.equal(plain.code, 0, plain.stderr)
      assert.equal(await readFile(at('redirected'), 'utf8'), `before\n${plain.stdout}after\n`)
      assert.deepEqual(await readdir(at('dev')), ['stdout'])
    })
  }

  test('an export to a pipe is written to it, and does not replace the pipe', async () => {
    const pipe = at('out')
    await promisify(execFile)('mkfifo', [pipe])
    const reader = spawn('sh', ['-c', 'cat "$0" > "$1"', pipe, at('read.csv')], { stdio: 'ignore' })
    const ended = once(reader, 'close')
    const { code, stderr } = await program.run(['devices', 'export', pipe, '--format', 'csv'])
    assert.equal(code, 0, stderr)
    await ended
    assert.equal(await readFile(at('read.csv'), 'utf8'), await readFile(at('devices.csv'), 'utf8'))
  })
})
