/** Rules for every command: help, exit codes, and where answers and errors are printed. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Command } from 'commander'
import { VARIABLES } from '../../src/config/variables.ts'
import { createRatafia } from '../../src/start/run.ts'
import { casesIn } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { runHere, testProgram, type Variables } from '../support/program.ts'

const program = testProgram()
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** Returns the help of a command, which runs in this process because help depends on nothing else. */
async function helpOf(command: string): Promise<string> {
  const { code, stdout, stderr } = await runHere([...command.split(' ').filter(Boolean), '--help'])
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  return stdout
}

const namesOf = (command: Command, path = ''): readonly string[] => [
  path,
  ...command.commands.flatMap((child) => namesOf(child, `${path} ${child.name()}`.trim())),
]
const NAMES = namesOf(await createRatafia())

// Another test compares docs/reference.md, which has the options of each command, with the program.
describe('--help', () => {
  test('every command shows its usage and its subcommands, and only the program shows exit codes', async () => {
    for (const name of NAMES) {
      const stdout = await helpOf(name)
      assert.match(stdout, new RegExp(`^Usage: ratafia ${name}`))
      assert.equal(/\nExit codes:\n {2}0 {2}done\n/.test(stdout), name === '', name)
      assert.match(stdout, /^ {2}(?:-h, )?--help/m)
      for (const below of NAMES.filter((one) => one.startsWith(`${name} `.trimStart()))) {
        const word = below.slice(name.length).trim().split(' ')[0]
        if (name !== below) assert.match(stdout, new RegExp(`^ {2}${word}\\b`, 'm'), below)
      }
    }
  })

  test('serve lists every variable with its default', async () => {
    for (const command of ['serve', 'identity serve']) {
      const stdout = await helpOf(command)
      for (const [name, { default: fallback }] of Object.entries(VARIABLES)) {
        assert.ok(stdout.includes(`  ${name}\n`), name)
        assert.ok(stdout.includes(`Default: ${fallback}`), name)
      }
    }
  })

  test('`help` accepts a command of several words', async () => {
    const { code, stdout } = await runHere('help devices list')
    assert.deepEqual([code, stdout], [0, await helpOf('devices list')])
  })

  test('works without a valid configuration, and creates nothing', async () => {
    const { code } = await program.run('accounts add --help', { environment: { RATAFIA_PORT: 'x' } })
    assert.equal(code, 0)
    assert.deepEqual(await readdir(program.directory), [])
  })
})

describe('the release is printed by', () => {
  for (const words of [['version'], ['--version'], ['-v']]) {
    test(`ratafia ${words}`, async () => {
      assert.deepEqual(await program.run(words), { code: 0, stdout: `ratafia ${version}\n`, stderr: '' })
    })
  }
  for (const words of ['version', '--version']) {
    test(`ratafia ${words} --json, with what it runs on`, async () => {
      const { commit, schema, ...facts } = await program.json(words)
      const { node, openssl, sqlite } = process.versions
      const platform = `${process.platform}-${process.arch}`
      assert.deepEqual(facts, { release: version, node, openssl, sqlite, platform, kind: 'checkout' })
      assert.equal(commit, null)
      assert.match(schema, /^\d{4}-/)
    })
  }
})

describe('exit codes, with the reason on standard error only', () => {
  let taken: number
  const occupier = createServer()
  before(async () => {
    await new Promise<void>((resolve) => occupier.listen(0, '127.0.0.1', resolve))
    const address = occupier.address()
    taken = typeof address === 'object' && address ? address.port : 0
    // A database that SQLite cannot read, with its key.
    await mkdir(join(program.directory, 'broken'))
    await writeFile(join(program.directory, 'broken', 'ratafia.db'), 'no database at all'.repeat(1000))
    await writeFile(join(program.directory, 'broken', 'secret.key'), Buffer.alloc(32, 1).toString('hex'), {
      mode: 0o600,
    })
    assert.equal((await program.run('migrate')).code, 0)
  })
  after(() => occupier.close())

  const outcome = async (words: string, environment: Variables, code: number, message: RegExp | string) => {
    const stderr = await program.refuses(words, message, code, { environment })
    // Neither a stack trace nor a warning of Node.
    assert.doesNotMatch(stderr, /\n\s+at .*[:(]|Warning/)
  }
  const list = 'accounts list'
  const KEY = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 1).toString('hex') }

  test('a separate process prints the same and exits with the same code, without warnings of Node', async () => {
    const unanswered = { RATAFIA_DATABASE_URL: 'postgres://127.0.0.1:1/x', ...KEY }
    for (const [words, environment, code] of [
      ['accounts add --help', {}, 0],
      ['accounts show unknown', {}, 1],
      ['frob', {}, 2],
      [list, unanswered, 3],
      [list, { RATAFIA_PORT: 'x' }, 4],
    ] as const) {
      const finished = await program.spawn(words, { environment })
      assert.equal(finished.code, code, finished.stderr)
      assert.deepEqual(finished, await program.run(words, { environment }))
    }
  })

  test('with --json an error is one line of JSON on standard error, with the code of the API if any', async () => {
    for (const [words, exit_code, code, message] of [
      ['accounts show unknown', 1, 'no-such-record', 'There is no account "unknown".'],
      ['accounts list --frob', 2, 'usage', "Unknown option '--frob'. Run with --help for usage."],
      ['accounts show', 2, 'usage', "Missing required argument 'username'. Run with --help for usage."],
      [
        ...(['packages import /none.csv', 1, 'file'] as const),
        '/none.csv cannot be read: there is no such file or directory. Check the path.',
      ],
    ] as const) {
      const error = { code, exit_code, message }
      await program.refuses(`${words} --json`, `${JSON.stringify({ error })}\n`, exit_code)
    }
    const configuration = /^\{"error":\{"code":"configuration","exit_code":4,"message":"RATAFIA_PORT /
    await program.refuses(`${list} --json`, configuration, 4, { environment: { RATAFIA_PORT: 'x' } })
  })

  test('0: done', async () => assert.equal((await program.run(list)).code, 0))

  /** Command lines, with the exit code and the message. */
  const REFUSED = casesIn(String.raw`
    accounts show unknown | 1 | ^ratafia: There is no account "unknown"\.\n$
    frob | 2 | ^ratafia: [A-Z].*\. Run with --help for usage\.\n$
    accounts frob | 2 | ^ratafia: [A-Z].*\. Run with --help for usage\.\n$
    accounts list --frob | 2 | ^ratafia: [A-Z].*\. Run with --help for usage\.\n$
    accounts show | 2 | ^ratafia: [A-Z].*\. Run with --help for usage\.\n$
    accounts list x | 2 | ^ratafia: [A-Z].*\. Run with --help for usage\.\n$
    accounts set-password x | 2 | ^ratafia: Can't ask for the password without a terminal\. .* --password-stdin\.\n$`)
  for (const [words, code, message = ''] of REFUSED) {
    test(`${code}: ratafia ${words}`, () => outcome(words, {}, Number(code), new RegExp(message)))
  }
  test('2: no command at all shows the commands', () =>
    outcome('', {}, 2, /^Usage: ratafia [\s\S]*Exit codes:/))

  test('3: a database that does not answer', async () => {
    const environment = { RATAFIA_DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x', ...KEY }
    const message = /^ratafia: (?!.*hunter2)The database cannot be used: .*ECONNREFUSED.* try again\.\n$/
    for (const words of [list, 'serve', 'migrate']) await outcome(words, environment, 3, message)
  })
  test('3: a database that cannot be read', () =>
    outcome(
      list,
      { RATAFIA_DATA_DIR: join(program.directory, 'broken') },
      3,
      /^ratafia: The database \S+ cannot be used: file is not a database/,
    ))
  const otherKey = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 2).toString('hex') }
  test('4: a different secret key', async () => {
    await program.run('keys rotate')
    const message = /^ratafia: The keys in this database are sealed under a different secret key\..*\n$/
    for (const words of [list, 'serve']) await outcome(words, otherKey, 4, message)
    assert.equal((await program.run(list)).code, 0, 'the database was changed')
  })
  test('4: a data directory that cannot be created', () =>
    outcome(
      'migrate',
      { RATAFIA_DATA_DIR: '/dev/null/data' },
      4,
      /^ratafia: RATAFIA_DATA_DIR: \/dev\/null\/data cannot be written to/,
    ))
  test('4: TLS files in the address of the database that are missing or contain something else', async () => {
    const [none, other] = [join(program.directory, 'none.pem'), join(program.directory, 'other.pem')]
    await writeFile(other, 'no certificate')
    const url = 'postgres://user:hunter2@127.0.0.1:1,127.0.0.1:2/x?sslmode=verify-full'
    const environment = {
      RATAFIA_DATABASE_URL: `${url}&sslrootcert=${none}&sslkey=${other}`,
      RATAFIA_DATABASE_LISTEN_URL: `${url}&sslrootcert=${other}`,
      ...KEY,
    }
    const message = [
      `DATABASE_URL: the sslrootcert ${none} cannot be read: there is no such file or directory. Check the path.`,
      `DATABASE_URL: the sslkey ${other} contains no private key (PEM)`,
      `DATABASE_LISTEN_URL: the sslrootcert ${other} contains no certificate (PEM)`,
    ].map((line) => `ratafia: RATAFIA_${line}\n`)
    for (const words of [list, 'migrate', 'verify']) await outcome(words, environment, 4, message.join(''))
  })
  test('4: TLS files with damaged, encrypted or mismatched content', async () => {
    const pem = readFileSync(new URL('../data/issuer-tls.pem', import.meta.url), 'utf8')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const asPem = { format: 'pem', type: 'pkcs8' } as const
    const written = async (name: string, text: string) => {
      const file = join(program.directory, name)
      await writeFile(file, text)
      return file
    }
    const right = await written('right.pem', pem)
    const other = await written('other-key.pem', privateKey.export(asPem).toString())
    const locked = privateKey.export({ ...asPem, cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
    const encrypted = await written('encrypted.pem', locked)
    const damaged = await written(
      'damaged.pem',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    )
    const refused = [
      [right, other, 'the sslkey does not match the certificate in sslcert'],
      [
        right,
        encrypted,
        `the sslkey ${encrypted} is encrypted, and the service has no passphrase for it\\. Decrypt it with .*`,
      ],
      [damaged, right, `the sslcert ${damaged} contains a damaged certificate \\(PEM\\)`],
    ]
    const url = 'postgres://user:hunter2@127.0.0.1:1/x?sslmode=verify-full'
    for (const [cert, key, why] of refused) {
      const address = { RATAFIA_DATABASE_URL: `${url}&sslcert=${cert}&sslkey=${key}` }
      const message = new RegExp(`^ratafia: RATAFIA_DATABASE_URL: ${why}\n$`)
      await outcome('verify', { ...KEY, ...address }, 4, message)
    }
    const address = { RATAFIA_DATABASE_URL: `${url}&sslcert=${right}&sslkey=${right}` }
    await outcome('verify', { ...KEY, ...address }, 3, /ECONNREFUSED/)
  })
  test('4: a port that is taken', () =>
    outcome(
      'serve',
      { RATAFIA_PORT: String(taken) },
      4,
      new RegExp(
        `^(.*\\n)?ratafia: Cannot listen on 127\\.0\\.0\\.1:${taken}: another program uses the port\\. Set RATAFIA_HOST or RATAFIA_PORT\\.\\n$`,
      ),
    ))
  test('4: an address that this machine does not have', () =>
    outcome(
      'serve',
      { RATAFIA_HOST: '192.0.2.1' },
      4,
      /ratafia: Cannot listen on 192\.0\.2\.1: this machine does not have that address/,
    ))
})

eachDatabase((kind, _open, fresh) => {
  const installed = testProgram(fresh)

  test('commands in their own processes exit by themselves, and print nothing but their answers', async () => {
    await installed.run('migrate')
    const add = 'accounts add ann --email ann@example.org --name Ann --no-password'
    for (const words of [add, 'verify', ...(kind === 'sqlite' ? ['accounts list', 'keys rotate'] : [])]) {
      const { code, stderr } = await installed.spawn(words)
      assert.deepEqual({ words, code, stderr }, { words, code: 0, stderr: '' })
    }
  })
})

test('control characters from the command line never reach the terminal', async () => {
  const evil = 'x\u001b[2J\u009b1m\u202e'
  for (const words of [[evil], ['accounts', 'show', evil], ['packages', 'import', `${evil}.csv`]]) {
    const { stderr } = await program.run(words)
    assert.notEqual(stderr, '')
    assert.doesNotMatch(stderr.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  }
})
