/** Messages name a missing file of an option or a variable, and a pipe is read like a file. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { ratafiaCommand } from '../../../../tools/test/programs.ts'
import { COMMAND_VARIABLES } from '../../src/config/variables/commands.ts'
import { VARIABLES } from '../../src/config/variables.ts'
import { vectorPath } from '../support/brands.ts'
import { casesIn } from '../support/cases.ts'
import { idTokenFor, NOWHERE } from '../support/ci-job.ts'
import { allCommands } from '../support/commands.ts'
import { oneDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { runHere, testProgram } from '../support/program.ts'

const MISSING = '/nonexistent/named-file'

const readsFile = ({ registeredArguments, options }: Command): boolean =>
  registeredArguments.some((argument) => /file|path/.test(argument.name())) ||
  options.some(({ flags, long }) => long !== '--output' && /<(file|path)>/.test(flags))

oneDatabase(() => {
  const program = testProgram()
  const key = (name: string) => vectorPath(`world/keys/${name}.pem`)
  before(async () => assert.equal((await program.run('migrate')).code, 0))

  const DATABASE_FILES = `
    allow-list import ${MISSING}.csv --model a/b
    allow-list remove ${MISSING}.csv --model a/b --yes
    assertions sign ${MISSING}
    brands add --account ${MISSING} --account-key ${key('root')} --signing-key ${key('root')}
    brands create x --root-key ${MISSING} --output ${MISSING}/x
    demo device --model ${MISSING} --brand ${MISSING}-none
    devices approve --file ${MISSING}
    devices import ${MISSING}.csv
    hardware-identities import ${MISSING}
    import database ${MISSING}
    import serial-vault ${MISSING}
    issuers add https://x.example --kind custom --jwks ${MISSING}
    models add ${MISSING} --registration auto
    models update ${MISSING}
    packages import ${MISSING}.json
    publishers test x --claims ${MISSING}
    release verify x --key ${MISSING}
    restore ${MISSING}
    signing-keys add ${MISSING}
    tokens attenuate file:${MISSING} --until 1h
    tokens create --all --agent ${MISSING}
    trust add ${MISSING}
    trust create-root x --key ${MISSING} --output ${MISSING}/x`
    .trim()
    .split(/\n */)
  for (const words of DATABASE_FILES) {
    test(`${words.slice(0, words.indexOf(MISSING))}names the missing file`, async () => {
      const { code, stderr } = await program.run(words)
      assert.ok(code === 1 || code === 2, `${code}: ${stderr}`)
      assert.match(stderr, new RegExp(`${MISSING}\\S* cannot be read: there is no such file`))
    })
  }

  for (const words of DATABASE_FILES) {
    if (/file:|--agent /.test(words)) continue
    const input = words.replace(/\S*named-file(\.\w+)?/, '-')
    test(`${input} reads standard input`, async () => {
      const { stderr } = await program.run(input, { input: 'no such content' })
      assert.doesNotMatch(stderr, /: - |cannot be read|no such file/)
    })
  }

  /** Commands that write the file. */
  const ELSEWHERE = [
    'backup',
    'devices export',
    'audit export',
    'signing-keys generate',
    'agents add',
    'login',
  ]
  /** Commands that read it like a command in the table. */
  const LIKE: Readonly<Record<string, string>> = {
    'devices reject': 'devices approve',
    'devices revoke': 'devices approve',
    'devices release': 'devices approve',
    'issuers refresh': 'issuers add',
    'signing-keys certify': 'signing-keys add',
    'tokens rotate': 'tokens create',
  }
  test('every command that reads a file is in the table above', async () => {
    const missing = [...(await allCommands())]
      .filter(([, command]) => readsFile(command))
      .map(([name]) => LIKE[name] ?? name)
      .filter((name) => !ELSEWHERE.includes(name) && !DATABASE_FILES.some((words) => words.startsWith(name)))
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
    await withAcme(await program.open(), { registration: 'approval' })
    await program.says(`backup ${at('all.backup')}`)
    await program.says(`devices export ${at('devices.csv')}`)
    await copyFile(world('account-test-root'), at('account-test-root'))
    await writeFile(at('packages.csv'), 'name,snap_id\nhello,id-of-hello\n')
    await writeFile(at('packages.json'), '[{"name":"hello","snap_id":"id-of-hello"}]')
    await writeFile(at('serials.csv'), 'serial\nA-1\n')
    await writeFile(at('claims.json'), '{"sub":"x"}')
    await writeFile(at('token'), idTokenFor('x'))
    await writeFile(at('statement.json'), '{"type":"model"}')
  })

  /** Runs a command with a named pipe, into which the file is written. */
  async function fromPipe(words: string, file: string) {
    const pipe = at(`pipe-${crypto.randomUUID()}`)
    await promisify(execFile)('mkfifo', [pipe])
    const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', file, pipe], { stdio: 'ignore' })
    const ended = once(writer, 'close')
    const finished = await program.run(words.replace('PIPE', pipe))
    writer.kill()
    await ended
    return finished
  }

  /** Commands that must print the same for a pipe as for the file. */
  const READS = casesIn(`
    restore PIPE --dry-run | all.backup
    devices import PIPE --format csv --dry-run | devices.csv
    packages import PIPE --dry-run | packages.csv
    packages import PIPE --dry-run | packages.json
    allow-list import PIPE --model acme-brand/acme-classic --dry-run | serials.csv
    publishers test none --claims PIPE | claims.json
    publishers test none --claims PIPE | token
    assertions sign PIPE | statement.json
    trust add PIPE | account-test-root
    import serial-vault PIPE --dry-run | statement.json`)
  for (const [words, file = ''] of READS) {
    test(`${words} reads ${file} like a regular file`, async () => {
      const named = await program.run(words.replace('PIPE', at(file)))
      const piped = await fromPipe(words, at(file))
      const plain = ({ code, stdout, stderr }: typeof piped) => ({
        code,
        said: `${stdout}${stderr}`.replaceAll(
          /\/\S*(pipe-[0-9a-f-]+|all\.backup|statement\.json|account-test-root)|Standard input/g,
          'FILE',
        ),
      })
      assert.deepEqual(plain(piped), plain(named))
      const input = await readFile(at(file))
      assert.deepEqual(plain(await program.run(words.replace('PIPE', '-'), { input })), plain(named))
    })
  }

  for (const words of [
    'packages import PIPE',
    'allow-list import PIPE --model acme-brand/acme-classic',
    'allow-list remove PIPE --model acme-brand/acme-classic --yes',
    'devices import PIPE',
  ]) {
    test(`${words} refuses input that is neither CSV nor a JSON list`, async () => {
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

  for (const noun of ['audit', 'devices']) {
    test(`ratafia ${noun} export writes only the export to a redirected standard output`, async () => {
      await mkdir(at('dev'), { recursive: true })
      await symlink('/proc/self/fd/1', at('dev/stdout')).catch(() => {})
      const redirected = 'cd "$1" && shift && { echo before; "$@"; echo after; } > redirected'
      const ran = ['-c', redirected, 'sh', program.directory, ...ratafiaCommand()]
      const words = [noun, 'export', 'dev/stdout', '--format', 'csv']
      const env = { PATH: process.env['PATH'], ...program.environment }
      const { stderr } = await promisify(execFile)('sh', [...ran, ...words], { env })
      assert.match(stderr, /exported to dev\/stdout\.\n$/)
      const plain = await program.says(`${noun} export --format csv`)
      assert.equal(await readFile(at('redirected'), 'utf8'), `before\n${plain}after\n`)
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
