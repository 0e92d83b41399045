/**
 * Guarantee: neither the database nor the log of a service contains a readable secret, whatever the service
 * handled and wherever clients put secrets by mistake. The log has its most detailed level.
 */
import assert from 'node:assert/strict'
import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MANAGEMENT_PREFIX } from '@ratafia/api/schemas'
import { decodeBase64, decodeBinary, encodeBase64, encodeBinary } from '@ratafia/macaroon'
import {
  type BakeryMacaroon,
  decodeBakeryMacaroon,
  decodeKey,
  dischargeAll,
  formatMacaroonsHeader,
  keyPairFromPrivateKey,
} from '@ratafia/macaroon/bakery'
import pg from 'pg'
import { sealedValueStore } from '../../src/keyring/sealed-value-store.ts'
import { vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  AUTH,
  freshDeviceKey,
  openSession,
  presentingSession,
  register,
  registered,
  withAcme,
} from '../support/devices.ts'
import { answer, Browser, bakeryMacaroonOf, postDischarge } from '../support/identity.ts'
import { addManager, manage, managementToken } from '../support/managers.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { find, type Secret, secretsOf, spellings } from '../support/secret-search.ts'
import { bearing, call, getRoot, revokeOwn, type TestService } from '../support/service.ts'

const SECRET_KEY = Buffer.from('8d1f2c53a7e94b60b1d8e5f70693a4c2f1e0d9c8b7a6958473625140fedcba98', 'hex')
const PASSWORD = 'pass & “word” <of> 100% / a+person'
const NEW_PASSWORD = 'another "pass\\word" of %20 the same?'
const RESET_PASSWORD = 'set through ä link, “once”'
const TALKATIVE = {
  RATAFIA_LOG_LEVEL: 'trace',
  RATAFIA_SECRET_KEY: SECRET_KEY.toString('base64'),
}

/** Sends a secret in each of the places where a client could put it by mistake. */
async function misplace(baseUrl: string, secret: string, manager: string): Promise<void> {
  const escaped = encodeURIComponent(secret)
  const header = /^[\x20-\x7e]+$/.test(secret) ? secret : escaped
  const bodyOf = (body: unknown, headers = {}): RequestInit => ({
    ...{ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  })
  const form = (body: string) => bodyOf(body, { 'content-type': 'application/x-www-form-urlencoded' })
  const [tokens, whoami, post] = ['/api/v2/tokens', '/api/v2/tokens/whoami', { method: 'POST' }] as const
  const asManager = () => ({ ...bearing(manager), 'idempotency-key': randomUUID() })
  const long = { token: 'x'.repeat(65_000), more: secret }
  const requests: readonly (readonly [path: string, init: RequestInit])[] = [
    [`${tokens}?token=${escaped}`, {}],
    [`${whoami}?macaroon=${escaped}#${escaped}`, {}],
    [`${tokens}/${escaped}`, post],
    [`/${escaped}`, {}],
    [`/identity/discharge?token64=${escaped}&id64=${escaped}`, post],
    [`/identity/wait-token?did=${escaped}`, {}],
    [`/identity/login?did=${escaped}`, {}],
    [`/identity/login/agent?did=${escaped}&username=${escaped}&public-key=${escaped}`, {}],
    [`${AUTH}/nonces?key=${escaped}`, post],
    [`${AUTH}/devices?key=${escaped}`, { ...post, body: secret }],
    [whoami, { headers: { authorization: `Macaroon ${header}` } }],
    [whoami, { headers: { authorization: `Bearer ${header}` } }],
    [whoami, { headers: { authorization: header, 'x-anything': header, cookie: header } }],
    [whoami, { headers: { macaroons: header } }],
    [`${tokens}/exchange`, bodyOf({}, { macaroons: header })],
    [tokens, bodyOf(secret)],
    [tokens, bodyOf({ [secret]: secret })],
    [tokens, bodyOf({ permissions: [secret], ttl: secret })],
    [tokens, bodyOf(secret, { 'content-type': header })],
    [`${tokens}/revoke`, bodyOf({ 'session-id': secret })],
    ...[{ token: secret }, long, { token: [secret] }, { [secret]: secret }].map(
      (body) => [`${MANAGEMENT_PREFIX}/me/tokens/explain`, bodyOf(body, asManager())] as const,
    ),
    [`${AUTH}/sessions`, bodyOf({ 'device-session-request': secret })],
    [
      `${AUTH}/devices`,
      { ...post, headers: { 'api-key': header }, body: `type: serial-request\nx: ${secret}\n` },
    ],
    ['/device-session', { headers: presentingSession(header) }],
    ['/identity/discharge', form(`id64=${escaped}&token64=${escaped}&token-kind=${escaped}`)],
    ['/identity/login', form(`did=${escaped}&csrf=${escaped}&username=${escaped}&password=${escaped}`)],
  ]
  for (const [path, init] of requests) {
    const response = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init }).catch(
      (error: unknown) => {
        // `fetch` itself refuses to send some of them.
        assert.ok(error instanceof TypeError)
        return undefined
      },
    )
    const text = (await response?.text()) ?? ''
    assert.ok((response?.status ?? 400) < 500, `${path}: ${text}`)
  }
}

describe('the search', () => {
  test('finds a secret in every spelling, whole or in part, inside a longer string', () => {
    const text = 'a "secret" of ours: 50% + more & <so>'
    for (const value of [text, SECRET_KEY] as const) {
      const [whole, ...pieces] = secretsOf('it', value)
      assert.ok(whole && pieces.length > 0)
      for (const [spelling, bytes] of spellings(whole)) {
        const place = Buffer.concat([Buffer.from('before '), bytes, Buffer.from(' after')])
        assert.ok(find([whole], { place }).length > 0, spelling)
      }
      for (const before of ['', 'x', 'xy', 'xyz']) {
        const inside = Buffer.concat([Buffer.from(before), Buffer.from(value), Buffer.from('tail')])
        for (const encoding of ['base64', 'base64url', 'hex'] as const) {
          assert.ok(
            find([whole], { place: Buffer.from(inside.toString(encoding)) }).length > 0,
            `${before} ${encoding}`,
          )
        }
      }
      assert.deepEqual(find([whole, ...pieces], { place: Buffer.from('nothing of it') }), [])
      assert.ok(find(pieces, { place: Buffer.from(value).subarray(0, 30) }).length > 0)
    }
  })
})

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const secrets: Secret[] = []
  const said: string[] = []
  let node: RunningProgram
  let service: TestService
  let manager: string

  const keep = <T extends string | Uint8Array>(name: string, value: T): T => {
    secrets.push(...secretsOf(name, value))
    return value
  }
  /** Keeps a macaroon's signature, at its end, which is the only secret part. */
  const keepMacaroon = (name: string, text: string): string => {
    for (const { signature } of decodeBinary(decodeBase64(text))) keep(`the signature of ${name}`, signature)
    secrets.push({ name, bytes: Buffer.from(text.slice(-40)) })
    return text
  }
  const run = async (words: string, input = ''): Promise<string> => {
    const { code, stdout, stderr } = await program.run(words, { input, environment: TALKATIVE })
    assert.equal(code, 0, stderr)
    said.push(stderr)
    return stdout
  }
  const discharged = async (
    root: string,
    by: (need: {
      id: Uint8Array
      payload: Uint8Array | undefined
      location: string
    }) => Promise<BakeryMacaroon>,
  ): Promise<string> => {
    const slice = await dischargeAll(decodeBakeryMacaroon(JSON.parse(root)), ({ id, caveat, location }) =>
      by({ id, payload: caveat, location }),
    )
    for (const { signature } of slice) keep('the signature of a discharge', signature)
    const { status, body } = await call(node, 'POST', '/api/v2/tokens/exchange', {
      headers: { macaroons: formatMacaroonsHeader(slice) },
      body: {},
    })
    assert.equal(status, 200, JSON.stringify(body))
    return keepMacaroon('a token', body.macaroon)
  }

  before(async () => {
    keep('the secret key', SECRET_KEY)
    node = await program.start(TALKATIVE)
    service = {
      baseUrl: node.baseUrl,
      installation: await program.open(TALKATIVE),
      now: () => new Date(),
      advance: () => assert.fail('it uses its own clock'),
    }
    await people()
    await devices()
    await sealedKeys()
    for (const { name, bytes } of [...secrets]) {
      const isOne =
        /^(the secret key|a token|a password|an API key|a session macaroon|a cookie|a private key of an agent|a recovery code|a one-time link)$/
      const text = Buffer.from(bytes.toString('utf8')).equals(bytes)
        ? bytes.toString('utf8')
        : bytes.toString('base64')
      if (isOne.test(name)) await misplace(node.baseUrl, text, manager)
    }
  })

  async function people(): Promise<void> {
    const named = '--email ann@example.org --name Ann'
    await run(`accounts add ann ${named} --password-stdin`, `${keep('a password', PASSWORD)}\n`)
    const browser = new Browser()
    const first = await discharged(await getRoot(service, { description: 'of a person' }), async (need) => {
      const methods = (await postDischarge(need.location, need)).body.Info.InteractionMethods[
        'browser-window'
      ]
      const waiting = fetch(methods.WaitTokenURL).then(answer)
      const page = await browser.open(methods.VisitURL)
      const wrong = await browser.submit(page, 'login', {
        username: PASSWORD,
        password: keep('a wrong password', 'not “right” at all'),
      })
      const confirm = await browser.submit(wrong, 'login', { username: 'ann', password: PASSWORD })
      await browser.submit(confirm, 'confirm', { decision: 'approve' })
      const { body } = await waiting
      for (const [name, url] of Object.entries<string>({
        visit: methods.VisitURL,
        wait: methods.WaitTokenURL,
      })) {
        keep(`the ${name} text`, new URL(url).searchParams.get('did') ?? assert.fail(url))
      }
      keep('a login token', body.token64)
      return bakeryMacaroonOf(await postDischarge(need.location, need, body))
    })
    for (const value of browser.cookies.values()) keep('a cookie', decodeURIComponent(value))
    await run('accounts set-password ann --password-stdin', `${keep('a password', NEW_PASSWORD)}\n`)

    const made = JSON.parse(await run('accounts totp enable ann --json'))
    keep('a second factor', made.secret as string)
    const [recovery = '', ...others] = made.recovery_codes as string[]
    for (const code of [recovery, ...others]) keep('a recovery code', code)
    const link = JSON.parse(await run(`accounts reset-link ann --json --url ${node.baseUrl}/identity`))
    keep('a one-time link', new URL(link.url).searchParams.get('secret') ?? assert.fail(link.url))
    const set = { password: keep('a password', RESET_PASSWORD), again: RESET_PASSWORD }
    await browser.submit(await browser.open(link.url), 'reset', set)
    const again = await browser.open(`${node.baseUrl}/identity/account`)
    const asked = await browser.submit(again, 'login', { username: 'ann', password: RESET_PASSWORD })
    keep('a half sign-in', asked.forms[0]?.fields['step'] ?? assert.fail(asked.text))
    await browser.submit(asked, 'second-factor', { code: '000000' })
    const signedIn = await browser.submit(asked, 'second-factor', { code: recovery })
    assert.equal(signedIn.title, 'Your account')
    for (const value of browser.cookies.values()) keep('a cookie', decodeURIComponent(value))

    const file = JSON.parse(await run(`agents add builder@ci --account ann --url ${node.baseUrl}/identity`))
    const keyPair = keyPairFromPrivateKey(
      decodeKey(keep('a private key of an agent', file.key.private as string)),
    )
    keep('a private key of an agent', keyPair.privateKey)
    const second = await discharged(await getRoot(service, {}), async (need) => {
      const { body } = await postDischarge(need.location, need)
      const url = new URL(body.Info.InteractionMethods.agent['login-url'])
      url.searchParams.set('username', 'builder@ci')
      url.searchParams.set('public-key', encodeBase64(keyPair.publicKey))
      const asked = await answer(await fetch(url, { headers: { 'Bakery-Protocol-Version': '3' } }))
      const own = decodeBakeryMacaroon(asked.body.macaroon)
      const slice = await dischargeAll(own, () => assert.fail('only its own caveat'), {
        localKeyPair: keyPair,
      })
      const token64 = keep('the token of an agent', Buffer.from(encodeBinary(...slice)).toString('base64url'))
      return bakeryMacaroonOf(
        await postDischarge(need.location, need, { kind: 'agent', token64 }, { how: 'query' }),
      )
    })
    const ada = await addManager(service, 'viewer acme')
    manager = keepMacaroon('a token', await managementToken(service, ada))
    for (const token of [first, second, manager]) {
      const { body } = await manage(service, manager, 'POST', '/me/tokens/explain', { body: { token } })
      assert.equal(body.accepted, true)
    }
    const whoami = async (token: string) =>
      (await call(node, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status
    for (const token of [first, second]) {
      assert.equal(await whoami(token), 200)
      assert.equal((await call(node, 'GET', '/api/v2/tokens', { headers: bearing(token) })).status, 200)
      await revokeOwn(node, token)
      assert.equal(await whoami(token), 401)
    }
    await run('accounts disable --yes ann')
    await run('accounts enable ann')
  }

  async function devices(): Promise<void> {
    await withAcme({ ...service.installation, clock: service.now })
    keepRsa(
      'the signing key of the brand',
      createPrivateKey(Buffer.from(vector('world/keys/brand.pem').bytes)),
    )
    const added = await run('api-keys add acme-brand/acme-classic --label factory --json')
    const apiKey = keep('an API key', JSON.parse(added).key as string)
    const key = await freshDeviceKey()
    keepRsa('a device key', key.keyObject)
    assert.equal((await register(service, { key, requestHeaders: { 'api-key': `${apiKey}x` } })).status, 401)
    assert.equal((await register(service, { key })).status, 401)
    const serial = await registered(service, { key, requestHeaders: { 'api-key': apiKey } })
    let session = await sessionFor(undefined)
    session = await sessionFor(session)
    const checked = await call(node, 'GET', '/device-session', { headers: presentingSession(session) })
    assert.ok(checked.status < 500)
    await run(`devices revoke --yes acme-brand/acme-classic/${serial.fields.serial} --reason lost`)
    assert.notEqual((await openSession(service, { serial, key, previous: session })).status, 200)
    await run('keys rotate')
    await run('keys rotate --discharger')

    async function sessionFor(previous: string | undefined): Promise<string> {
      const { status, body } = await openSession(service, { serial, key, ...(previous ? { previous } : {}) })
      assert.equal(status, 200, JSON.stringify(body))
      const [macaroon] = decodeBinary(decodeBase64(body.macaroon))
      keep('the signature of a session macaroon', macaroon?.signature ?? assert.fail())
      secrets.push({ name: 'a session macaroon', bytes: Buffer.from(body.macaroon.slice(-40)) })
      return body.macaroon
    }
  }

  function keepRsa(name: string, key: ReturnType<typeof createPrivateKey>): void {
    const jwk = key.export({ format: 'jwk' })
    for (const part of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
      keep(`${part} of ${name}`, Buffer.from(jwk[part] ?? assert.fail(part), 'base64url'))
    }
    keep(`the PEM of ${name}`, key.export({ format: 'pem', type: 'pkcs8' }).toString().slice(-400))
  }

  /** Keeps the plaintext of everything that is sealed in the database. */
  async function sealedKeys(): Promise<void> {
    const { database, sealer } = service.installation
    for (const { name, purpose, sealed } of await sealedValueStore(database).all()) {
      const plaintext = sealer.unseal(purpose, sealed) ?? assert.fail(name)
      if (name.startsWith('signing key'))
        keepRsa(name, createPrivateKey({ key: plaintext, format: 'der', type: 'pkcs8' }))
      else if (name !== 'seal check') keep(name, plaintext)
    }
  }

  /** Returns everything on the disk, or everything that a reader of the tables sees. */
  async function dump(): Promise<Readonly<Record<string, Uint8Array>>> {
    const target = await fresh.target()
    if (target.kind === 'sqlite') {
      const [database, log] = await Promise.all([readFile(target.file), readFile(`${target.file}-wal`)])
      assert.ok(database.length > 0 && log.length > 0)
      return { 'the database file': database, 'its write-ahead log': log }
    }
    const client = new pg.Client({ connectionString: target.url })
    await client.connect()
    try {
      const places: Record<string, Uint8Array> = {}
      const { rows: tables } = await client.query(
        `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
      )
      for (const { name } of tables) {
        const { rows } = await client.query(
          `select t::text as text, row_to_json(t)::text as json from ${name} t`,
        )
        const { rows: values } = await client.query(`select * from ${name}`)
        const raw = values.flatMap((row) => Object.values<unknown>(row).filter(Buffer.isBuffer))
        places[`the table ${name}`] = Buffer.concat([
          Buffer.from(rows.map(({ text, json }) => `${text}\n${json}`).join('\n')),
          ...raw,
        ])
      }
      return places
    } finally {
      await client.end()
    }
  }

  test('no secret appears in the database, the log or the output of commands, in any spelling', async () => {
    assert.ok(secrets.length > 200, `${secrets.length} secrets`)
    const backup = join(program.directory, 'secrets.backup')
    await run(`backup ${backup}`)
    node.child.kill('SIGKILL')
    const { stdout, stderr } = await node.finished
    const used = ['/api/v2/tokens/exchange', '/identity/discharge', `${AUTH}/devices`, '/identity/login']
    for (const path of used) assert.ok(stderr.includes(path), `the log does not mention ${path}`)
    assert.match(stderr, /"level":(10|20),/, 'the log has its most detailed level')
    const places = {
      ...(await dump()),
      'the log': Buffer.from(stderr),
      'standard output': Buffer.from(stdout),
      'the output of commands': Buffer.from(said.join('\n')),
      'a backup': gunzipSync(await readFile(backup)),
    }
    assert.deepEqual(find(secrets, places), [])
    // The same search does find secrets in a place that has them.
    assert.ok(find(secrets, { planted: Buffer.from(`{"x":"${PASSWORD}"}`) }).length > 0)
  })
})
