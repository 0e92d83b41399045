/** Tests that options and the management API read times alike: both accept and refuse the same strings. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { addOperator, manage, managementToken } from '../support/managers.ts'
import { testProgram } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

/** The meaning of each string; undefined if it is refused. */
const TEXTS: Readonly<Record<string, string | undefined>> = {
  '2027-01-31': '2027-01-31T00:00:00.000Z',
  '2024-02-29': '2024-02-29T00:00:00.000Z',
  '2027-01-31T12:00:00Z': '2027-01-31T12:00:00.000Z',
  '2027-01-31t12:00:00z': '2027-01-31T12:00:00.000Z',
  '2027-01-31 12:00Z': '2027-01-31T12:00:00.000Z',
  '2027-01-31T12:00:00.123456Z': '2027-01-31T12:00:00.123Z',
  '2027-01-31T12:00:00+00:00': '2027-01-31T12:00:00.000Z',
  '2027-01-31T01:00:00+02:00': '2027-01-30T23:00:00.000Z',
  '2027-01-31T23:30:00-0130': '2027-02-01T01:00:00.000Z',
  '2027-02-30': undefined,
  '2023-02-29': undefined,
  '2027-01-31T24:00:00Z': undefined,
  '2027-01-31T12:60:00Z': undefined,
  '2027-01-31T12:00:00+25:00': undefined,
  '2027-01-31T12:00:00': undefined,
  '2027-1-31': undefined,
  '31.01.2027': undefined,
  '9999-12-31T23:59:59-01:00': undefined,
  yesterday: undefined,
  '1764288000': undefined,
}

/** The same filter, as an option and as a parameter. */
const FILTERS: readonly (readonly [words: readonly string[], path: string])[] = [
  [['audit', 'list', '--since'], '/audit?since='],
  [['audit', 'list', '--until'], '/audit?until='],
  [['devices', 'list', '--registered-since'], '/devices?registered_since='],
  [['devices', 'list', '--seen-until'], '/devices?seen_until='],
  [['clones', 'list', '--since'], '/clone-evidence?since='],
]

oneDatabase(() => {
  const program = testProgram()
  let service: TestService
  let token: string
  before(async () => {
    service = await program.serve()
    token = await managementToken(service, await addOperator(service))
    const brand = ['brands', 'create', '--demo', '--name', 'one', '--output', `${program.directory}/one`]
    assert.equal((await program.run(brand)).code, 0)
  })

  for (const [words, path] of FILTERS) {
    for (const [text, instant] of Object.entries(TEXTS)) {
      test(`${words.join(' ')} ${text} and ${path} ${instant ? 'accept' : 'refuse'} it`, async () => {
        const command = await program.run([...words, text])
        const [at, name] = path.split('?')
        const query = `?${name}${encodeURIComponent(text)}`
        const answer = await manage(service, token, 'GET', at ?? '', { query })
        assert.deepEqual(
          [command.code, answer.status],
          instant ? [0, 200] : [2, 400],
          `${command.stderr} ${JSON.stringify(answer.body)}`,
        )
        if (!instant) assert.match(command.stderr, /^ratafia: --\S+ .* is not a time: write a date such as /)
      })
    }
  }

  for (const [text, instant] of Object.entries(TEXTS)) {
    // An expiry in the past is refused for a different reason.
    if (instant !== undefined && instant < '2027') continue
    test(`api-keys add --expires ${text} and the body of the API ${instant ? 'accept' : 'refuse'} it`, async () => {
      const words = ['api-keys', 'add', 'one-brand/one-device', '--label', 'x', '--json', '--expires', text]
      const command = await program.run(words)
      const body = { label: 'x', expires: text, uses: null }
      const path = '/models/one-brand/one-device/api-keys'
      const answer = await manage(service, token, 'POST', path, { body })
      if (!instant) return assert.deepEqual([command.code, answer.status], [2, 400], command.stderr)
      assert.equal(command.code, 0, command.stderr)
      assert.deepEqual([JSON.parse(command.stdout).expires_at, answer.body.expires_at], [instant, instant])
    })
  }

  for (const text of ['90d', '12h', '30m', '45s']) {
    test(`an option also accepts ${text} from now; the API does not, because now is the caller's`, async () => {
      assert.equal((await program.run(['audit', 'list', '--since', text])).code, 0)
      assert.equal((await manage(service, token, 'GET', '/audit', { query: `?since=${text}` })).status, 400)
    })
  }

  const DURATIONS: readonly (readonly string[])[] = [
    ['login', '--lifetime'],
    ['agents', 'add', 'x', '--account', 'none', '--url', 'https://x.example', '--max-lifetime'],
    ['ci', 'login', '--url', 'http://127.0.0.1:9', '--lifetime'],
    [
      ...['publishers', 'add', 'x', '--issuer', 'https://x.example', '--account', 'none'],
      ...['--permission', 'package_upload', '--package', 'x', '--lifetime'],
    ],
  ]
  for (const words of DURATIONS) {
    test(`${words.join(' ')} accepts only seconds and durations`, async () => {
      for (const text of ['soon', '1.5', '15 m', '2027-01-31', '-5']) {
        const { code, stderr } = await program.run([...words.slice(0, -1), `${words.at(-1)}=${text}`])
        assert.deepEqual(
          [code, / is not a duration: write a number of seconds/.test(stderr)],
          [2, true],
          stderr,
        )
      }
      for (const text of ['900', '15m']) {
        const environment = { RATAFIA_URL: 'http://127.0.0.1:9', RATAFIA_ID_TOKEN: 'x' }
        const refused = await program.run(
          [...words, text, ...(words[0] === 'ci' ? ['--from', 'env:NONE'] : ['--direct'])],
          words[0] === 'login' || words[0] === 'ci' ? { environment } : {},
        )
        assert.doesNotMatch(refused.stderr, /is not a duration/)
      }
    })
  }
})
