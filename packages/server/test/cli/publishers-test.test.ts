/** `ratafia publishers test`: what a rule makes of claims, from a file, without a network. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Installation } from '../../src/installation.ts'
import { line } from '../support/cases.ts'
import { oneDatabase } from '../support/databases.ts'
import { oidcVectors } from '../support/id-tokens.ts'
import { testProgram } from '../support/program.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'

const CLAIMS = oidcVectors().claimSets.get('github-branch')?.claims ?? assert.fail('the vectors have it')
const BASE_URL = { RATAFIA_BASE_URL: 'https://store.example.com' }

/** A JWT that nobody signed. */
const unsigned = (claims: unknown) =>
  [{ alg: 'RS256', kid: 'x', typ: 'JWT' }, claims, 'no signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let installation: Installation
  let number = 0
  const fileOf = async (text: string) => {
    const file = join(program.directory, `claims-${++number}`)
    await writeFile(file, text)
    return file
  }
  const tested = async (claims: unknown, ...more: readonly string[]) =>
    program.run(['publishers', 'test', 'hello', '--claims', await fileOf(JSON.stringify(claims)), ...more], {
      environment: BASE_URL,
    })
  const told = async (claims: unknown) => {
    const { code, stdout } = await tested(claims, '--json')
    const answer = JSON.parse(stdout)
    assert.equal(code, answer.holds ? 0 : 1)
    return {
      ...answer,
      wrong: answer.lines
        .filter(({ holds }: { holds: boolean }) => !holds)
        .map(({ about, claim }: { about: string; claim: string }) => `${about} ${claim}`),
    }
  }

  before(async () => {
    assert.equal((await program.run(['migrate'])).code, 0)
    const account = ['--email', 'build@example.org', '--name', 'Build farm', '--no-password']
    await program.json('accounts', 'add', 'build', ...account)
    installation = await program.open()
    await givenIssuer(installation.database, GITHUB, 'github')
    await program.json(
      ...['publishers', 'add', 'hello', '--issuer', GITHUB, '--account', 'build', '--package', 'hello'],
      ...line`--permission package_upload --match repository_id=74 --match repository_owner_id=65`,
      ...['--match', 'ref:={"glob":"refs/heads/release-*"}'],
    )
  })

  test('claims that a job of the rule has: exit code 0, however old the file is', async () => {
    const { code, stdout, stderr } = await tested({ ...CLAIMS, ref: 'refs/heads/release-1' })
    assert.deepEqual([code, stderr], [0, ''])
    const at = new Date(Number(CLAIMS['iat']) * 1000).toISOString()
    assert.match(stdout, new RegExp(`^As of ${at}:\nHOLDS +ABOUT +CLAIM +EXPECTED +FOUND\n`))
    assert.match(stdout, /^yes +match +repository_id +"74" +"74"$/m)
    assert.match(stdout, /^yes +event +event_name .*"push"$/m)
    assert.match(
      stdout,
      /\nA job with these claims gets a token by the rule hello, if its ID token is signed and new\.\n$/,
    )
    assert.doesNotMatch(stdout, /^NO/m)
  })

  test('claims that it does not have: exit code 1, and each difference is told', async () => {
    const { code, stdout, stderr } = await tested({
      ...CLAIMS,
      ...{ repository_id: '75', event_name: 'pull_request', aud: 'https://other.example.com' },
    })
    assert.equal(code, 1)
    assert.match(stdout, /^NO +match +repository_id +"74" +"75"$/m)
    assert.match(stdout, /^NO +match +ref +\{"glob":"refs\/heads\/release-\*"\} +"refs\/heads\/main"$/m)
    assert.match(stdout, /^NO +event +event_name +.*"pull_request"$/m)
    assert.match(
      stdout,
      /^NO +audience +aud +"https:\/\/store\.example\.com" +"https:\/\/other\.example\.com"$/m,
    )
    assert.equal(
      stderr,
      'ratafia: A job with these claims gets nothing by the rule hello: 4 lines of the table say NO.\n',
    )
  })

  test('--json: the lines, and the same exit code', async () => {
    const release = { ...CLAIMS, ref: 'refs/heads/release-1' }
    assert.deepEqual((await told(release)).wrong, [])
    assert.deepEqual((await told({ ...release, iss: 'https://gitlab.com' })).wrong, ['issuer iss'])
    assert.deepEqual((await told({ ...release, exp: undefined })).wrong, ['time exp'])
    const { wrong } = await told({})
    assert.deepEqual(wrong, [
      ...['issuer iss', 'match repository_id', 'match repository_owner_id', 'match ref'],
      ...['event event_name', 'audience aud', 'time exp'],
    ])
  })

  describe('files', () => {
    test('an ID token, from a file or from standard input: its signature does not count', async () => {
      const token = unsigned({ ...CLAIMS, ref: 'refs/heads/release-1' })
      const words = ['publishers', 'test', 'hello', '--claims']
      const note = 'The signature of the ID token is not checked: anybody could have written it.\n'
      for (const [file, input] of [
        [await fileOf(`${token}\n`), ''],
        ['-', token],
      ] as const) {
        const { code, stdout, stderr } = await program.run([...words, file], { input, environment: BASE_URL })
        assert.deepEqual([code, stderr], [0, note])
        assert.doesNotMatch(stdout, new RegExp(token.slice(0, 20)))
      }
    })

    test('JSON from standard input', async () => {
      const { code } = await program.run(['publishers', 'test', 'hello', '--claims', '-'], {
        input: JSON.stringify({ ...CLAIMS, ref: 'refs/heads/release-1' }),
        environment: BASE_URL,
      })
      assert.equal(code, 0)
    })

    for (const [title, text, exitCode, message] of [
      ['JSON that ends early', '{"a":', 1, /claims-\d+ is not a JSON object\.$/],
      ['an empty file', '', 1, /^ratafia: /],
      ['a list', '[]', 1, /^ratafia: /],
      ['a text that is not a token', 'hello', 1, /^ratafia: /],
      ['NUL', '\0', 1, /^ratafia: /],
      ['70,000 characters', 'x'.repeat(70_000), 1, /has more than 64 KiB, which no ID token has\.$/],
      ['a token of 20,000 characters', unsigned({ x: 'x'.repeat(20_000) }), 1, /^ratafia: /],
    ] as const) {
      test(`refused: ${title}`, async () => {
        const file = await fileOf(text)
        const { code, stdout, stderr } = await program.run(['publishers', 'test', 'hello', '--claims', file])
        assert.deepEqual([code, stdout], [exitCode, ''], stderr)
        assert.match(stderr.trimEnd(), message)
        assert.ok(stderr.length < 500)
      })
    }

    test('refused: a file that is not there, and too much on standard input', async () => {
      const words = ['publishers', 'test', 'hello', '--claims']
      const missing = await program.run([...words, 'missing.json'])
      assert.deepEqual([missing.code, missing.stdout], [1, ''])
      assert.match(missing.stderr, /missing\.json cannot be read: there is no such file/)
      const long = await program.run([...words, '-'], { input: 'x'.repeat(70_000) })
      assert.deepEqual([long.code, long.stdout], [2, ''])
    })

    test('claims that steer a terminal do not', async () => {
      const { stdout } = await tested({ ...CLAIMS, ref: '\u001b[2J\u202e', repository_id: { a: [[]] } })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there
      assert.doesNotMatch(stdout, /[\u001b\u202e]/)
    })
  })

  test('a disabled account or rule gives nothing, and the table says so', async () => {
    const release = { ...CLAIMS, ref: 'refs/heads/release-1' }
    await program.json('accounts', 'disable', '--yes', 'build')
    assert.deepEqual((await told(release)).wrong, ['account build'])
    await program.json('accounts', 'enable', 'build')
    await program.json('publishers', 'disable', 'hello')
    assert.deepEqual((await told(release)).wrong, ['rule hello'])
  })
})
