/** Messages of commands about busy services, other programs, and reverse proxies that refuse a request. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, suite, test } from 'node:test'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { idTokenFor, NOWHERE, SESSION } from '../support/ci-job.ts'
import { json, loginStubs, type Respond } from '../support/login-stubs.ts'
import { runHere } from '../support/program.ts'

interface Member {
  readonly words: string
  readonly input?: string
  /** Whether the command sends a credential. */
  readonly sends: 'credential' | 'nothing'
  /** Whether the command retries for a minute when that can help. */
  readonly retries?: true
}

const token = encodeBase64Url(
  encodeBinary(addFirstPartyCaveat(mint({ rootKey: Buffer.alloc(32, 1), id: 'x' }), `session-id ${SESSION}`)),
)

const MEMBERS: Readonly<Record<string, Member>> = {
  login: { words: 'login', sends: 'nothing' },
  'tokens create': { words: 'tokens create --all', sends: 'nothing' },
  'tokens rotate': { words: 'tokens rotate -', input: token, sends: 'credential' },
  'tokens explain': { words: 'tokens explain -', input: token, sends: 'credential' },
  whoami: { words: 'whoami', sends: 'credential' },
  'grants list': { words: 'grants list', sends: 'credential' },
  'devices export': { words: 'devices export --listed', sends: 'credential' },
  'audit export': { words: 'audit export', sends: 'credential' },
  'ci login': {
    words: 'ci login --from - --audience x --export stdout',
    ...{ input: idTokenFor('x'), sends: 'nothing', retries: true },
  },
  'ci logout': { words: 'ci logout --from -', input: token, sends: 'credential', retries: true },
}

const FRONT = /: something in front of the service /

suite('a reverse proxy that answers with a page', () => {
  let server: Server
  let url: string
  let status: number
  let home: string
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-front-'))
    await writeFile(join(home, 'token'), token)
    server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>Refused</h1></html>')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  after(async () => {
    server.close()
    await rm(home, { recursive: true })
  })

  const ask = (answer: number, { words, input = '' }: Member) => {
    status = answer
    const environment = { ...NOWHERE, RATAFIA_URL: url, RATAFIA_TOKEN_FILE: join(home, 'token') }
    return runHere(words, { input, environment: { ...environment, XDG_CONFIG_HOME: home } })
  }

  for (const [name, member] of Object.entries(MEMBERS)) {
    for (const answer of [400, 403, 413, 431, 502, 504]) {
      if (answer >= 500 && member.retries) continue
      test(`${name}, ${answer}: the message blames something in front of the service`, async () => {
        const { code, stdout, stderr } = await ask(answer, member)
        assert.equal(code, answer >= 500 ? 3 : 1, stderr)
        // An export in CSV has already printed its columns.
        if (name !== 'devices export') assert.equal(stdout, '')
        assert.match(stderr, FRONT)
        assert.match(stderr, new RegExp(` status ${answer}\\b`))
        assert.doesNotMatch(stderr, /Check --url|[Tt]ry again|another program|<html>/)
        const size = / has (\d+) bytes\. Does the proxy accept headers that long\?/.exec(stderr)?.[1]
        const isAboutSize = (answer === 400 || answer === 431) && member.sends === 'credential'
        assert.equal(size !== undefined, isAboutSize, stderr)
        if (isAboutSize) assert.ok(Number(size) >= token.length, size)
        if (answer === 502) assert.match(stderr, /it does not reach the service\. Is the service running/)
      })
    }
  }
})

describe('a service that', () => {
  const { serve } = loginStubs()
  const said = (code: string, message: string) => ({ error_list: [{ code, message, extra: {} }] })
  for (const [what, respond, code, message] of [
    ['is busy', json(said('service-unavailable', 'Try again.'), 503), 3, /Try again\.\n/],
    ['has received too many requests', json(said('too-many-requests', 'Too many.'), 429), 3, /Too many\.\n/],
    ['refuses', json(said('permission-denied', 'No.'), 403), 1, /ratafia: No\.\n/],
    ['is another program', (_, to) => void to.end('<html>'), 1, /It may be another program/],
    ['answers without the list', json({ grants: 1, next: null }), 1, /without a list of grants/],
    [
      'sends control characters for the terminal',
      json(said('x', 'a\u001b[2Jb'), 403),
      1,
      /a\\u001b\[2Jb|a.?\[2Jb/,
    ],
    ['sends a long answer', json({ x: 'y'.repeat(5_000_000) }), 1, /more than 4096 KiB/],
    ['redirects', json({}, 302, { location: 'http://127.0.0.1:9' }), 1, /redirects to another address/],
  ] satisfies readonly (readonly [string, Respond, number, RegExp])[]) {
    test(`${what}: exits with ${code}, and prints the reason`, async (t) => {
      const home = await mkdtemp(join(tmpdir(), 'ratafia-said-'))
      t.after(() => rm(home, { recursive: true }))
      await writeFile(join(home, 'token'), 'AgEU')
      const url = await serve({ 'GET /api/management/v1/grants': respond })
      const environment = { RATAFIA_URL: url, RATAFIA_TOKEN_FILE: join(home, 'token'), XDG_CONFIG_HOME: home }
      const finished = await runHere('grants list', { environment })
      assert.deepEqual([finished.code, finished.stdout], [code, ''], finished.stderr)
      assert.match(finished.stderr, message)
      assert.ok(!finished.stderr.includes('\u001b[2J'))
    })
  }
})
