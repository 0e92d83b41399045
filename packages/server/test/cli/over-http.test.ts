/** Commands that administer a service over HTTP, from a machine where nothing of a service is set. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bucketOf } from '../../src/bucket.ts'
import { testKey, vectorPath } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { freshDeviceKeys, register, withAcme } from '../support/devices.ts'
import { Browser } from '../support/identity.ts'
import { startCommand } from '../support/login-command.ts'
import { type Finished, testProgram } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

const PASSWORD = 'correct horse battery'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let url: string
  let home: string
  let agent: string
  let keys: Awaited<ReturnType<typeof freshDeviceKeys>>

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    const add = (words: readonly string[], input = '') =>
      program.run(['accounts', 'add', ...words], { input })
    const named = (name: string) => [name, '--email', `${name}@example.org`, '--name', name]
    assert.equal((await add([...named('ada'), '--role', 'operator', '--password-stdin'], PASSWORD)).code, 0)
    assert.equal((await add([...named('bob'), '--password-stdin'], PASSWORD)).code, 0)
    assert.equal((await add([...named('factory'), '--no-password'])).code, 0)
    service = await program.serve()
    url = service.baseUrl
    await withAcme({ ...service.installation, clock: service.now }, { registration: 'approval' })
    keys = await freshDeviceKeys(8)
    const grant = ['grants', 'add', 'factory', 'device-approver', '--brand', 'acme-brand']
    assert.equal((await program.run(grant)).code, 0)
    agent = join(home, 'agent.json')
    const made = [
      'agents',
      'add',
      'line',
      '--account',
      'factory',
      '--url',
      `${url}/identity`,
      '--output',
      agent,
    ]
    assert.equal((await program.run(made)).code, 0)
  })
  after(() => rm(home, { recursive: true, force: true }))

  const here = (more: Readonly<Record<string, string>> = {}) => ({ XDG_CONFIG_HOME: home, ...more })
  /** A command on a machine that knows the address of the service and nothing else. */
  const over = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    startCommand(words, here({ RATAFIA_URL: url, ...environment })).finished
  const asAgent = (...words: readonly string[]) => over(words, { RATAFIA_AGENT_FILE: agent })
  const ok = ({ code, stdout, stderr }: Finished): string => {
    assert.deepEqual([code, stderr], [0, ''], stdout)
    return stdout
  }

  let serials = 0
  const waiting = async () => {
    const key = keys[serials] ?? assert.fail('no key left')
    const serial = `OH-${++serials}`
    assert.equal((await register(service, { key, serial })).status, 202)
    return `acme-brand/acme-classic/${serial}`
  }

  /** The login page of a command, as a person goes through it. Returns what the confirmation showed. */
  const approve = async (visit: string, username: string): Promise<string> => {
    const browser = new Browser()
    const shown = await browser.submit(await browser.open(visit), 'login', { username, password: PASSWORD })
    await browser.submit(shown, 'confirm', { decision: 'approve' })
    return shown.text
  }

  test('a person logs in with a browser, administers, sees who they are, and logs out', async () => {
    const running = startCommand(['login', '--url', url, '--lifetime', '2h', '--role', 'operator'], here())
    const page = await approve(await running.visit(), 'ada')
    assert.match(page, /administers/)
    assert.match(page, /<code>operator<\/code>: does everything/)
    const { code, stdout, stderr } = await running.finished
    assert.equal(code, 0, stderr)
    assert.match(stdout, /username: +ada\n/)
    assert.match(stdout, /operator +- +operator/)
    const file = join(home, 'ratafia', 'credentials.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const { services } = JSON.parse(await readFile(file, 'utf8'))
    assert.deepEqual(Object.keys(services), [url])

    const me = JSON.parse(ok(await over(['whoami', '--json'])))
    assert.deepEqual([me.username, me.signed_in.with], ['ada', 'browser'])
    ok(await over(['grants', 'add', 'bob', 'viewer', '--brand', 'acme-brand']))
    assert.match(ok(await over(['grants', 'list', '--account', 'bob'])), /bob +viewer +acme-brand .* ada /)
    assert.equal(
      ok(await over(['grants', 'remove', 'bob', 'viewer', '--brand', 'acme-brand'])),
      'bob no longer has the role viewer for acme-brand.\n',
    )
    assert.match(ok(await over(['tokens', 'list', '--mine'])), /ada +management /)

    const out = await over(['logout'])
    assert.equal(out.code, 0)
    assert.match(out.stderr, /is revoked\.\n$/)
    const refused = await over(['whoami'])
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /You are not logged in at .*`ratafia login --url/)
    const kept = await over(['whoami'], { RATAFIA_TOKEN_FILE: await fileWith(services[url].token) })
    assert.equal(kept.code, 1)
    assert.match(kept.stderr, /The macaroon was revoked at .* by ada\./)
  })

  const fileWith = async (text: string) => {
    const path = join(home, 'token')
    await writeFile(path, `${text}\n`)
    return path
  }

  test('both ways print the same, byte for byte', async () => {
    const name = await waiting()
    const { id, ...seen } = JSON.parse(ok(await asAgent('devices', 'show', name, '--json')))
    // Later than what the service is about to store.
    const at = new Date(Date.now() + 86_400_000)
    const where = { address: '192.0.2.9', bucket: bucketOf(seen.device_key_id) }
    await service.installation.activities.saw([{ id, at, ...where }])
    const text = ok(await asAgent('devices', 'show', name))
    assert.match(text, /\nlast seen at: +20.*Z\nlast address: +192\.0\.2\.9\nevidence at: +-\n/)
    for (const words of [
      ['devices', 'show', name],
      ['devices', 'show', id, '--json'],
      ['devices', 'show', id, '--assertions', '--limit', '3'],
      ['devices', 'show', 'acme-brand/acme-classic/NONE'],
      ['devices', 'show', 'x'],
      ['devices', 'show', 'x', '--json'],
      ['devices', 'revoke', '--yes', id, '--json'],
    ]) {
      const direct = await program.run(words)
      const there = await over(words, { RATAFIA_TOKEN_FILE: await operatorToken() })
      assert.deepEqual(there, direct, words.join(' '))
    }
    const approved = await asAgent('devices', 'approve', name)
    assert.deepEqual(await program.run(['devices', 'approve', name]), approved)
    const token = await operatorToken()
    const rejected = await over(['devices', 'reject', id, '--reason', 'no'], { RATAFIA_TOKEN_FILE: token })
    assert.deepEqual(await program.run(['devices', 'reject', id, '--reason', 'no']), rejected)
    assert.equal(rejected.code, 1)
    const revoked = await over(['devices', 'revoke', '--yes', id, '--reason', 'lost'], {
      RATAFIA_TOKEN_FILE: token,
    })
    assert.deepEqual(await program.run(['devices', 'revoke', '--yes', id]), revoked)
    for (const words of [
      ['grants', 'list'],
      ['grants', 'list', '--json', '--role', 'operator'],
      ['tokens', 'list', '--account', 'ada', '--include-inactive'],
      ['tokens', 'list', '--account', 'nobody'],
    ]) {
      assert.deepEqual(
        await over(words, { RATAFIA_TOKEN_FILE: token }),
        await program.run(words),
        words.join(' '),
      )
    }
  })

  /** A file with a token of ada, who logged in with a browser. */
  const operatorToken = async () => {
    const { managementToken } = await import('../support/managers.ts')
    const ada = await service.installation.accounts.findByUsername('ada' as never)
    assert.ok(ada)
    const path = join(home, 'operator-token')
    await writeFile(path, await managementToken(service, ada))
    return path
  }

  test('an agent does what its role allows, and no more', async () => {
    const name = await waiting()
    const me = JSON.parse(ok(await asAgent('whoami', '--json')))
    assert.deepEqual([me.username, me.signed_in.with, me.signed_in.agent], ['factory', 'agent', 'line'])
    assert.match(ok(await asAgent('devices', 'approve', name)), /active\) has a serial/)
    const refused = await asAgent('devices', 'revoke', '--yes', name, '--json')
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.equal(JSON.parse(refused.stderr).error.code, 'permission-denied')
    const granting = await asAgent('grants', 'add', 'factory', 'operator')
    assert.match(granting.stderr, /This needs the permission roles:manage/)
  })

  test('which way: --direct overrules, and what works on the database alone says so', async () => {
    const { environment } = program
    const both = { ...environment, RATAFIA_URL: 'http://127.0.0.1:9' }
    const run = (...words: readonly string[]) => startCommand(words, here(both)).finished
    assert.equal((await run('grants', 'list', '--direct')).code, 0)
    assert.equal((await run('accounts', 'list', '--direct')).code, 0)
    const refused = await run('keys', 'list')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /works on the database, and RATAFIA_URL names a service\. Give --direct/)
    const contradiction = await run('grants', 'list', '--direct', '--url', url)
    assert.match(contradiction.stderr, /either --url or --direct/)
    const away = await run('grants', 'list')
    // Nobody is logged in there, so nothing is sent.
    assert.match(away.stderr, /You are not logged in at http:\/\/127\.0\.0\.1:9/)
    const nothing = await startCommand(['grants', 'list'], here({ RATAFIA_DATA_DIR: join(home, 'none') }))
      .finished
    assert.equal(nothing.code, 4)
    assert.match(nothing.stderr, /RATAFIA_DATA_DIR.*RATAFIA_DATABASE_URL.*RATAFIA_URL/s)
  })

  // Last of these: from now on, devices need an API key.
  test('brands, models and what belongs to them: both ways print the same', async () => {
    const token = { RATAFIA_TOKEN_FILE: await operatorToken() }
    const model = 'acme-brand/acme-classic'
    const made = JSON.parse(
      ok(await over(['api-keys', 'add', model, '--label', 'x', '--uses', '3', '--json'], token)),
    )
    assert.match(made.key, /^ratafia_ak_/)
    for (const words of [
      ['brands', 'list'],
      ['brands', 'list', '--json'],
      ['brands', 'show', 'acme-brand'],
      ['brands', 'show', 'acme-brand', '--json'],
      ['brands', 'show', 'nobody'],
      ['brands', 'show', 'nobody', '--json'],
      ['models', 'list'],
      ['models', 'list', '--json'],
      ['models', 'list', '--columns', 'model,warnings'],
      ['models', 'show', model],
      ['models', 'show', model, '--json'],
      ['models', 'show', 'acme-brand/none'],
      ['models', 'show', 'acme-brand/none', '--json'],
      ['models', 'show', 'x'],
      ['signing-keys', 'list'],
      ['signing-keys', 'list', '--json', '--account', 'acme-brand'],
      ['signing-keys', 'list', '--account', 'nobody'],
      ['api-keys', 'list'],
      ['api-keys', 'list', '--json', '--model', model],
      ['api-keys', 'list', '--model', 'acme-brand/none'],
      ['api-keys', 'add', 'acme-brand/none', '--label', 'x'],
      ['api-keys', 'add', model, '--label', ' '],
      ['api-keys', 'revoke', 'nothing'],
      ['api-keys', 'revoke', made.id, 'nothing'],
      ['api-keys', 'revoke', made.id, '--json'],
      ['allow-list', 'list', '--model', model],
      ['allow-list', 'list', '--model', model, '--json'],
      ['hardware-identities', 'list'],
      ['trust', 'list'],
      ['trust', 'list', '--json'],
    ]) {
      const there = await over(words, token)
      assert.deepEqual(there, await program.run(words), words.join(' '))
    }
    const other = 'acme-brand/acme-gadget'
    const gadget = [
      'models',
      'add',
      vectorPath('world/model-acme-gadget'),
      '--registration',
      'auto',
      '--json',
    ]
    for (const words of [
      ['models', 'set-policy', model],
      ['models', 'set-policy', model, '--json'],
      ['models', 'set-policy', model, '--serial-template', 'x', '--json'],
      ['models', 'set-policy', model, '--serial-template', 'AC-{number:8}', '--clones', 'quarantine'],
      ['models', 'set-policy', model, '--serial-template', 'uuid', '--clones', 'record', '--json'],
      ['models', 'set-policy', 'acme-brand/none', '--clones', 'record'],
      ['models', 'allow-remodel', model, model],
      ['models', 'allow-remodel', model, 'a_b/c'],
      ['models', 'allow-remodel', model, 'x'],
      ['models', 'disallow-remodel', model, other, '--json'],
      ['models', 'remove', model],
      ['models', 'remove', 'acme-brand/none', 'x', '--json'],
    ]) {
      assert.deepEqual(await over(words, token), await program.run(words), words.join(' '))
    }
    ok(await program.run(gadget))
    const allow = ['models', 'allow-remodel', model, other, '--json']
    assert.deepEqual(await over(allow, token), await program.run(allow))
    const disallow = ['models', 'disallow-remodel', model, other]
    const taken = await over(disallow, token)
    ok(await program.run(allow))
    assert.deepEqual(await program.run(disallow), taken)
    const removed = await over(['models', 'remove', other], token)
    ok(await program.run(gadget))
    assert.deepEqual(await program.run(['models', 'remove', other]), removed)
    const { id: keyId } = testKey('brand').publicKey
    for (const more of [[], ['--json']]) {
      const disable = ['signing-keys', 'disable', ...more]
      for (const words of [
        [...disable, '--', keyId],
        [...disable, 'nothing'],
      ]) {
        assert.deepEqual(await over(words, token), await program.run(words), words.join(' '))
      }
      const forced = [...disable, '--force', '--', keyId]
      const there = await over(forced, token)
      assert.deepEqual(await over(forced, token), await program.run(forced))
      ok(await program.run(['signing-keys', 'add', vectorPath('world/keys/brand.pem')]))
      assert.deepEqual(await program.run(forced), there)
      ok(await program.run(['signing-keys', 'add', vectorPath('world/keys/brand.pem')]))
    }
    const said = await over(['api-keys', 'add', model, '--label', 'y'], token)
    assert.match(said.stdout, /^ratafia_ak_[A-Za-z0-9_-]{43}\n$/)
    assert.match(said.stderr, /requires an API key from now on/)
    const agent = await asAgent('api-keys', 'add', model, '--label', 'x', '--json')
    assert.equal(JSON.parse(agent.stderr).error.code, 'permission-denied')
    const direct = await over(['brands', 'add', '--account', 'x', '--account-key', 'x', '--signing-key', 'x'])
    assert.match(direct.stderr, /works on the database, and RATAFIA_URL names a service/)
  })

  describe('a service that', () => {
    /** A service that answers each request so, whatever it is. */
    const answering = async (status: number, text: string, headers = {}) => {
      const server = createServer((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      after(() => server.close())
      const address = server.address()
      return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : assert.fail()
    }
    const refusal = (code: string, message: string) =>
      JSON.stringify({ error_list: [{ code, message, extra: {} }] })
    const asking = async (at: string) =>
      over(['grants', 'list', '--url', at], { RATAFIA_TOKEN_FILE: await fileWith('AgEU') })

    for (const [what, status, text, code, said] of [
      ['is busy', 503, refusal('service-unavailable', 'Try again.'), 3, /Try again\.\n/],
      ['has had enough', 429, refusal('too-many-requests', 'Too many.'), 3, /Too many\.\n/],
      ['refuses', 403, refusal('permission-denied', 'No.'), 1, /ratafia: No\.\n/],
      ['is another program', 200, '<html>', 1, /it may be another program/],
      ['answers with another list', 200, '{"grants":1,"next":null}', 1, /no list of grants/],
      ['writes to the terminal', 403, refusal('x', 'a\u001b[2Jb'), 1, /a\\u001b\[2Jb|a.?\[2Jb/],
      ['says too much', 200, `{"x":"${'y'.repeat(5_000_000)}"}`, 1, /more than 4096 KiB/],
      ['sends elsewhere', 302, '', 1, /sends clients on to another address/],
    ] as const) {
      test(what, async () => {
        const finished = await asking(await answering(status, text, { location: url }))
        assert.deepEqual([finished.code, finished.stdout], [code, ''], finished.stderr)
        assert.match(finished.stderr, said)
        assert.ok(!finished.stderr.includes('\u001b[2J'))
      })
    }
  })
})
