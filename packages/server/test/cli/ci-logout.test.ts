/**
 * `ratafia ci logout` against a running service revokes the session of a credential, regardless of the
 * credential's format.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary, type Macaroon, mint } from '@ratafia/macaroon'
import { formatSessionId, formatTimeBefore } from '@ratafia/macaroon/conditions'
import { casesIn, wordsIn } from '../support/cases.ts'
import { ciJobs } from '../support/ci-job.ts'
import { oneDatabase } from '../support/databases.ts'
import { tokensCreate } from '../support/login-command.ts'
import { json } from '../support/login-stubs.ts'
import { runHere, testProgram, type Variables } from '../support/program.ts'

const logout = (words: readonly string[], environment: Variables = {}, input = '') =>
  runHere(['ci', 'logout', ...words], { environment, input })

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let url: string
  let agent: string
  before(async () => {
    await program.addAccount('build')
    url = (await program.serve()).baseUrl
    agent = join(program.directory, 'farm.json')
    await program.says(`agents add farm --account build --url ${url}/identity --output ${agent}`)
  })

  async function exported(form: string): Promise<{ text: string; session: string }> {
    const { stdout, stderr } = await tokensCreate(`--all --for ${form} --url ${url} --agent ${agent}`)
    const [, session = ''] = /session ([0-9a-f-]{36})/.exec(stderr) ?? []
    return { text: stdout.trim(), session }
  }

  async function revokedBy(session: string): Promise<unknown> {
    const all = await program.json('tokens list --account build --include-inactive')
    return all.find(({ session_id: id }: { session_id: string }) => id === session)?.revoked_by
  }

  for (const form of ['snapcraft', 'onprem', 'charmcraft', 'raw']) {
    test(`${form}: revokes the session in the name of its account, and refuses a second logout`, async () => {
      const { text, session } = await exported(form)
      const byVariable = () => logout(['--url', url], { SNAPCRAFT_STORE_CREDENTIALS: text })
      const byInput = () => logout(['--url', url, '--from', '-'], {}, `${text}\n`)
      const first = await (form === 'raw' ? byInput : byVariable)()
      assert.deepEqual(first, {
        code: 0,
        stdout: '',
        stderr: `Revoked the session ${session}. Its credential no longer works.\n`,
      })
      assert.equal(await revokedBy(session), 'build')

      const second = await (form === 'raw' ? byVariable : byInput)()
      assert.equal(second.code, 1)
      assert.match(second.stderr, /revoke: .* was revoked at /)
      assert.ok(!second.stderr.includes(text))
    })
  }

  test('reads the credential from a line of the file given with --from', async () => {
    const { text, session } = await exported('snapcraft')
    const path = join(program.directory, 'job.env')
    await writeFile(path, `SNAPCRAFT_STORE_CREDENTIALS=${text}\n`)
    const { code, stderr } = await logout(['--url', url, '--from', `file:${path}`])
    assert.equal(code, 0, stderr)
    assert.equal(await revokedBy(session), 'build')
  })

  test('without options reads the file that `ci login` writes to the current directory', async () => {
    const { text, session } = await exported('onprem')
    await writeFile(join(program.directory, 'ratafia.env'), `SNAPCRAFT_STORE_CREDENTIALS=${text}\n`)
    const { code, stderr } = await program.spawn(['ci', 'logout', '--url', url])
    assert.equal(code, 0, stderr)
    assert.equal(await revokedBy(session), 'build')
  })
})

describe('ratafia ci logout', () => {
  const jobs = ciJobs()

  const credential = (conditions: readonly string[]): string => {
    const whole = conditions.reduce<Macaroon>(
      (macaroon, condition) => addFirstPartyCaveat(macaroon, condition),
      mint({ rootKey: randomBytes(32), id: randomBytes(16), location: 'x', version: 2 }),
    )
    return encodeBase64Url(encodeBinary(whole))
  }
  const SESSION = '567487c8-0c1d-4e8e-9bb0-1d7a1bcd3a2f'
  const live = credential([formatSessionId(SESSION), formatTimeBefore(new Date(Date.now() + 3_600_000))])

  test('exits with 0 and sends nothing if the credential has expired', async () => {
    const ended = credential([formatSessionId(SESSION), formatTimeBefore(new Date(Date.now() - 1000))])
    const job = await jobs.start()
    const { code, stderr } = await logout(['--url', job.url], { CHARMCRAFT_AUTH: ended })
    assert.deepEqual({ code, seen: job.seen }, { code: 0, seen: [] })
    assert.match(stderr, new RegExp(`^The session ${SESSION} already expired at .*Z\\.\n$`))
  })

  test('retries a busy service, with the credential in a header', async () => {
    let busy = true
    const job = await jobs.start({
      'POST /api/v2/tokens/revoke': (...request) => {
        json({}, busy ? 503 : 200)(...request)
        busy = false
      },
    })
    const { code, stderr } = await logout(['--url', job.url], { SNAPCRAFT_STORE_CREDENTIALS: live })
    assert.equal(code, 0, stderr)
    assert.deepEqual(
      job.seen.map(({ body }) => JSON.parse(body)),
      [{ 'session-id': SESSION }, { 'session-id': SESSION }],
    )
    assert.ok(job.seen.every(({ headers, path }) => 'macaroons' in headers && !path.includes('?')))
  })

  const REFUSED = casesIn(String.raw`
    no credential | | | 2 | No credential found: SNAPCRAFT_STORE_CREDENTIALS, UBUNTU_STORE_AUTH, CHARMCRAFT_AUTH are not set, and there is no file ratafia\.env
    a variable that is not set | --from env:MINE | | 2 | MINE is not set, so there is no credential to revoke
    another word | --from auto | | 2 | --from auto is not known\. It can be env:NAME, file:PATH or -\.
    a file that does not exist | --from file:/nonexistent/x | | 1 | x cannot be read
    something else | | hunter2 | 1 | SNAPCRAFT_STORE_CREDENTIALS does not contain a credential that this command can read
    a credential without a session | | ${credential([])} | 1 | contains a credential without a session, which its holder cannot revoke
    a service over plain http | --url http://store.example.com | ${live} | 2 | --url is not an https address`)
  for (const [what, words = '', held = '', code, said = ''] of REFUSED) {
    test(`${what}: exits with ${code}, and sends nothing`, async () => {
      const job = await jobs.start()
      const environment: Variables = held === '' ? {} : { SNAPCRAFT_STORE_CREDENTIALS: held }
      const result = await logout(['--url', job.url, ...wordsIn(words)], environment)
      assert.deepEqual([result.code, job.seen], [Number(code), []])
      assert.match(result.stderr, new RegExp(said))
      assert.ok(!result.stderr.includes('hunter2') && !result.stderr.includes(live))
    })
  }
})
