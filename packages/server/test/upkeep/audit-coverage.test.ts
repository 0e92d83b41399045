/** Every change is recorded in the audit log: by each command that changes something, and each operation over HTTP. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { OPERATIONS } from '@ratafia/api/schemas'
import { decode, encode, type PrivateKey, sign } from '@ratafia/assertions'
import fastify from 'fastify'
import type { ListedEntry } from '../../src/audit/audit-store.ts'
import type { Action } from '../../src/change.ts'
import type { CommandContext } from '../../src/cli/context.ts'
import { addCommands, createProgram } from '../../src/cli/program.ts'
import { runProgram } from '../../src/cli/run-program.ts'
import { parseServiceUrl } from '../../src/config/values.ts'
import { identityRoutes } from '../../src/identity/routes.ts'
import { inProcessService } from '../../src/start/operations/in-process-service.ts'
import { testKey, vector, vectorPath } from '../support/brands.ts'
import { wordsIn } from '../support/cases.ts'
import { allCommands } from '../support/commands.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  freshDeviceKeys,
  getNonce,
  getRequestId,
  openSession,
  register,
  registered,
  serialAssertion,
  setAcmePolicy,
} from '../support/devices.ts'
import {
  exchange as exchangeIdToken,
  fieldsOf,
  idTokenOf,
  vectorIssuers,
  withRule,
} from '../support/exchanges.ts'
import { ruleNamed } from '../support/id-tokens.ts'
import { Browser } from '../support/identity.ts'
import {
  addPublisher,
  caveatIdOf,
  getPasswordRoot,
  logInWithPassword,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { GITLAB, givenIssuer } from '../support/rules.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  logIn,
  presenting,
  revokeSession,
  type TestService,
  testService,
} from '../support/service.ts'
import { newKeyPair } from '../support/test-issuer.ts'
import { discharging } from '../support/waiting-login.ts'

/** Commands that change nothing by themselves. The second half of this file covers what a service changes for them. */
const READ_ONLY: ReadonlySet<string> = new Set([
  ...['completion', 'login', 'whoami', 'logout', 'ci login', 'ci logout', 'serve', 'identity serve'],
  ...['demo', 'demo device'],
  ...[
    'version',
    'licences',
    'release verify',
    'release keys',
    'health',
    'verify',
    'status',
    'config check',
    'counters',
    'devices counts',
    'devices export',
  ],
  ...['signing-keys generate', 'signing-keys certify'],
  ...['create', 'rotate', 'attenuate', 'explain', 'shorten'].map((name) => `tokens ${name}`),
  ...['list', 'show', 'items', 'wait'].map((name) => `jobs ${name}`),
  ...['list', 'verify', 'export'].map((name) => `audit ${name}`),
  ...['accounts', 'agents', 'tokens', 'packages', 'keys', 'trust', 'brands', 'signing-keys', 'models'].map(
    (name) => `${name} list`,
  ),
  ...['api-keys', 'allow-list', 'hardware-identities', 'devices', 'grants', 'clones'].map(
    (name) => `${name} list`,
  ),
  ...['accounts', 'brands', 'models', 'devices'].map((name) => `${name} show`),
  ...['list', 'show', 'test'].map((name) => `publishers ${name}`),
  ...['list', 'show'].map((name) => `issuers ${name}`),
])

/** Commands that need their own database or process, with the file that tests their entries. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['migrate', 'cli/audit.test.ts'],
  ['secret rotate', 'cli/audit.test.ts'],
  ['backup', 'cli/status.test.ts'],
  ['restore', 'cli/backup.db.sampled.test.ts'],
  ['import database', 'cli/backup.db.sampled.test.ts'],
  ['jobs cancel', 'management/jobs.test.ts'],
  ['setup-link', 'cli/setup-link.test.ts'],
])

interface World {
  readonly service: TestService
  readonly directory: string
  readonly keys: PrivateKey[]
}

/**
 * The arguments of a command, the actions of the entries that it leaves, and what else these must have. The commands
 * run in this order, because a later one may need what an earlier one created.
 */
type Changing = readonly [
  words: string | ((world: World) => Promise<string> | string),
  actions: Action | readonly Action[],
  more?: {
    readonly input?: string
    /** Whether it needs the brand of `brands create --demo`, whose keys cost seconds. Runs on SQLite only. */
    readonly demo?: true
    /** The subject of the last entry. */
    readonly subject?: RegExp
    /** The non-secret details that the last entry must have. */
    readonly details?: RegExp
  },
]

const world = (path: string) => vectorPath(`world/${path}`)
const file =
  (name: string, text: string) =>
  async ({ directory }: World) => {
    const path = join(directory, name)
    await writeFile(path, text)
    return path
  }
const MODEL = `${ACME.brandId}/${ACME.model}`
const DEMO_MODEL = JSON.stringify({
  ...{ type: 'model', 'authority-id': 'demo-brand', series: '16', 'brand-id': 'demo-brand' },
  ...{ model: 'demo-next', classic: 'true' },
})

const ISSUER = 'https://kubernetes.default.svc.cluster.local'
const keySet = async (w: World) => {
  const { jwk } = await newKeyPair('ES256', 'one')
  return file('jwks.json', JSON.stringify({ keys: [jwk] }))(w)
}

const COMMANDS: Readonly<Record<string, Changing>> = {
  'accounts add': [
    'bob --email bob@example.org --name Bob --password-stdin',
    'account.add',
    { input: 'correct horse', subject: /^bob$/ },
  ],
  'accounts set-password': ['bob --password-stdin', 'account.set-password', { input: 'another horse' }],
  'accounts reset-link': [
    'bob --url https://id.example.org',
    'account.reset-link',
    { details: /"expires":"/ },
  ],
  'sign-in-link': ['bob --url https://id.example.org', 'account.sign-in-link', { details: /"expires":"/ }],
  'accounts password-logins': ['off bob', 'account.password-logins-off'],
  'accounts reminders': ['off bob', 'account.reminders-off'],
  'accounts set-email': ['bob b@example.org', 'account.set-email'],
  'accounts totp enable': ['bob', 'second-factor.enable', { details: /"kind":"totp"/ }],
  'accounts totp reset': ['bob', 'second-factor.reset'],
  'accounts totp disable': ['bob', 'second-factor.disable'],
  'grants add': [
    'bob viewer --expires 90d',
    'grant.add',
    { subject: /^bob$/, details: /"grant":"viewer","brand":null,"until":"/ },
  ],
  'grants remove': ['bob viewer', 'grant.remove', { subject: /^bob$/ }],
  'accounts disable': ['bob --yes', 'account.disable'],
  'accounts enable': ['bob', 'account.enable'],
  'accounts link': [
    'bob --issuer https://id.example.org --subject bob@work',
    'account.link',
    { details: /"subject":"bob@work"/ },
  ],
  'agents add': [
    'bot --account bob --url https://id.example.org',
    'agent.add',
    { details: /"account":"bob"/ },
  ],
  'agents remove': ['bot', 'agent.remove', { subject: /^bot$/ }],
  'accounts remove': [
    async ({ service }) => `${(await addPerson(service, 'dora')).username} --yes`,
    'account.remove',
    { subject: /^removed-/ },
  ],
  'issuers add': [
    async (w) => `${ISSUER} --kind kubernetes --jwks ${await keySet(w)}`,
    'issuer.add',
    {
      subject: /^https:\/\/kubernetes\.default\.svc\.cluster\.local$/,
      details: /"kind":"kubernetes","pinned":true,/,
    },
  ],
  'issuers refresh': [
    async (w) => `${ISSUER} --jwks ${await keySet(w)}`,
    'issuer.refresh',
    { details: /^\{"revision":"[0-9a-f]{64}"\}$/ },
  ],
  'issuers remove': [ISSUER, 'issuer.remove', { details: /^\{"rules":\[\],"sessions":0\}$/ }],
  'packages import': [
    file('packages.csv', 'name,snap_id\na,1\n'),
    ['job.add', 'packages.import', 'job.end'],
    { details: /"imported":1/ },
  ],
  'publishers add': [
    async ({ service }) => {
      await givenIssuer(service.installation.database, GITLAB, 'gitlab')
      return `hello --issuer ${GITLAB} --account bob --match project_id=20 --package a --permission package_upload`
    },
    'publisher.add',
    {
      subject: /^hello$/,
      details: /"match":\["project_id=20","ref_protected=true"\],"permissions":\["package_upload"\]/,
    },
  ],
  'publishers disable': ['hello', 'publisher.disable', { details: /"version":"[0-9a-f]{64}","sessions":0/ }],
  'publishers remove': ['hello', 'publisher.remove', { subject: /^hello$/ }],
  'keys rotate': ['', 'key.rotate', { subject: /^root 2$/ }],
  'trust add': [
    `${world('account-test-root')} ${world('account-key-test-root')}`,
    'trust.add',
    { subject: /^test-root$/ },
  ],
  'trust create-root': [
    ({ directory }) => `own-root --key ${world('keys/unknown.pem')} --output ${join(directory, 'own-root')}`,
    'trust.add',
    { subject: /^own-root$/ },
  ],
  'brands add': [
    `--account ${world('account-acme-brand')} --account-key ${world('account-key-acme-brand')} --signing-key ${world('keys/brand.pem')}`,
    'brand.add',
    { subject: /^acme-brand$/ },
  ],
  'models add': [
    `${world('model-acme-classic')} --registration approval`,
    'model.add',
    { details: /"registration":"approval"/ },
  ],
  'brands create': [
    ({ directory }) => `--demo --output ${join(directory, 'demo')}`,
    ['trust.add', 'brand.add', 'model.add'],
    { demo: true },
  ],
  'assertions sign': [
    file('model.json', DEMO_MODEL),
    'assertion.sign',
    { demo: true, subject: /^model\/16\/demo-brand\/demo-next$/, details: /^\{"key":"[\w-]{64}"\}$/ },
  ],
  // The file has a different key than the stored one: it is signed with the account-key of the brand.
  'models update': [newerModel, 'model.update', { details: /"revision":1/ }],
  'models set-policy': [
    `${MODEL} --clones quarantine`,
    'model.set-policy',
    { details: /^\{"quarantineClones":true\}$/ },
  ],
  'models allow-remodel': [
    `${MODEL} demo-brand/demo-device`,
    'model.allow-remodel',
    { demo: true, details: /demo-device/ },
  ],
  'models disallow-remodel': [
    `${MODEL} demo-brand/demo-device`,
    'model.disallow-remodel',
    { demo: true, subject: /^acme-brand\/acme-classic$/, details: /demo-device/ },
  ],
  'models remove': [
    'demo-brand/demo-device',
    'model.remove',
    { demo: true, subject: /^demo-brand\/demo-device$/, details: /^\{"apiKeys":0,"remodels":0\}$/ },
  ],
  'brands remove': [
    'demo-brand --yes',
    'brand.remove',
    { demo: true, subject: /^demo-brand$/, details: /^\{"keys":\["[\w-]{64}"\]\}$/ },
  ],
  'signing-keys disable': [
    `--force -- ${testKey('brand').publicKey.id}`,
    'signing-key.disable',
    { details: /"stopped":\["acme-brand\/acme-classic"\]/ },
  ],
  'signing-keys add': [world('keys/brand.pem'), 'signing-key.add'],
  'allow-list import': [
    async (w) => `${await file('allowed.csv', 'serial\nA1\nA2\n')(w)} --model ${MODEL}`,
    ['job.add', 'allow-list.import', 'job.end'],
    { details: /"added":2/ },
  ],
  'allow-list remove': [`--serial A1 --model ${MODEL}`, 'allow-list.remove', { details: /"removed":1/ }],
  'hardware-identities import': [
    vectorPath('extra-head/hardware-identity'),
    ['job.add', 'hardware-identities.import', 'job.end'],
  ],
  'devices approve': [
    (w) => waiting(w, 'W-1'),
    'device.approve',
    { details: /"serial":"acme-brand\/acme-classic\/W-1"/ },
  ],
  'devices reject': [
    async (w) => `${await waiting(w, 'W-2')} --reason unknown`,
    'device.reject',
    { details: /"reason":"unknown"/ },
  ],
  'devices release': [
    async ({ service: { installation } }) => {
      const holder = await installation.devices.findHolder({ ...ACME, serial: 'W-1' })
      assert.ok(holder && (await installation.devices.setQuarantine(holder, new Date())))
      return holder.id
    },
    'device.release',
  ],
  'devices revoke': [`${MODEL}/W-1 --reason stolen --yes`, 'device.revoke', { details: /"reason":"stolen"/ }],
  'devices remove': [`${MODEL}/W-1 --yes`, 'device.remove', { details: /"status":"revoked","left":"row"/ }],
  'devices import': [
    file(
      'devices.csv',
      `brand_id,model,serial,device_key_id,status\n${MODEL.replace('/', ',')},I-1,${'k'.repeat(64)},active\n`,
    ),
    ['job.add', 'devices.import', 'job.end'],
    { details: /"added":1/ },
  ],
  'import serial-vault': [
    join(import.meta.dirname, '../data/serial-vault/inserts.sql'),
    ['api-key.add', 'devices.import-serial-vault'],
  ],
  'api-keys add': [`${MODEL} --label factory`, 'api-key.add', { details: /"label":"factory"/ }],
  'api-keys revoke': [
    async ({ service: { installation } }) => {
      const key = (await installation.apiKeys.list()).find(({ label }) => label === 'factory')
      return key?.id ?? assert.fail()
    },
    'api-key.revoke',
  ],
  'tokens revoke': [
    async ({ service }) => {
      await logIn(service, await addPerson(service, 'carl'))
      const [session] = await service.installation.tokenSessions.list({ limit: 1 })
      return session?.id ?? assert.fail()
    },
    'token.revoke',
  ],
  'trust remove': ['demo-root --force', 'trust.remove', { demo: true, subject: /^demo-root$/ }],
}

async function newerModel(w: World): Promise<string> {
  const headers = new Map(decode(vector('world/model-acme-classic').bytes).headers)
  headers.delete('sign-key-sha3-384')
  headers.delete('type')
  const newer = sign(
    { type: 'model', headers: { ...Object.fromEntries(headers), revision: '1' } },
    testKey('brand'),
    { signedAt: new Date() },
  )
  return file('model', Buffer.from(encode(newer)).toString())(w)
}

/** Returns the id of a device that waits for approval. */
async function waiting({ service, keys }: World, serial: string): Promise<string> {
  const key = keys.pop() ?? assert.fail('no key left')
  assert.equal((await register(service, { key, serial })).status, 202)
  const device = await service.installation.devices.findByKey({ ...ACME, deviceKeyId: key.publicKey.id })
  return device?.id ?? assert.fail('it does not wait')
}

/** Runs commands in this process, on the installation of a running service. */
function commandLine(service: TestService, input = ''): { context: CommandContext; said: () => string } {
  let said = ''
  const output = () =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        said += chunk
        done()
      },
    })
  const unused = () => assert.fail('such a command is tested elsewhere')
  const { installation } = service
  const context: CommandContext = {
    streams: { stdin: Readable.from([Buffer.from(input)]), stdout: output(), stderr: output() },
    withInstallation: (work) => work(installation),
    readInstallation: (work) => work(installation),
    beginInstallation: (work) => work(installation),
    serviceOn: inProcessService,
    withUnopenedInstallation: unused,
    openSealer: unused,
    findService: unused,
    service: {
      url: () => undefined,
      agentFile: () => undefined,
      tokenFile: () => undefined,
      credentialsFile: () => '/nonexistent',
    },
    readServiceUrl: parseServiceUrl,
    release: 'test',
    versionFacts: unused,
    licenceTexts: unused,
    gnupgHome: () => '/nonexistent',
    job: { variable: unused, idTokenFile: unused, whole: {} },
    runDemo: unused,
  }
  return { context, said: () => said }
}

async function runCommand(words: readonly string[], context: CommandContext): Promise<number> {
  const program = createProgram(context.streams, context.release)
  await addCommands(program, context)
  return runProgram(words, program, context.streams)
}

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
  const state: { world?: World } = {}
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ratafia-audit-'))
    state.world = { service, directory, keys: [...(await freshDeviceKeys(12))] }
  })
  after(() => rm(state.world?.directory ?? '', { recursive: true, force: true }))
  const theWorld = () => state.world ?? assert.fail()
  const newKey = () => theWorld().keys.pop() ?? assert.fail('no key left')

  /** Returns the entries that `work` leaves in the log, oldest first. */
  const leaves = async (work: () => Promise<unknown>): Promise<readonly ListedEntry[]> => {
    const { audit } = service.installation
    const [last] = await audit.list({}, { limit: 1 })
    await work()
    return audit.page({}, { after: last?.id, limit: 100 })
  }
  const actionsOf = (entries: readonly ListedEntry[]) => entries.map(({ action }) => action)

  describe('commands', () => {
    test('knows for each command whether it changes something; add new ones here', async () => {
      const names = (await allCommands()).keys()
      const known = [...READ_ONLY, ...ELSEWHERE.keys(), ...Object.keys(COMMANDS)]
      assert.deepEqual([...names].sort(), known.sort())
    })

    for (const [name, [words, actions, more = {}]] of Object.entries(COMMANDS)) {
      const { input, demo, subject, details } = more
      if (demo && kind !== 'sqlite') continue
      test(`${name}: ${[actions].flat().join(', ')}`, async () => {
        const args = typeof words === 'string' ? words : await words(theWorld())
        const { context, said } = commandLine(service, input)
        const entries = await leaves(async () => {
          const code = await runCommand(wordsIn(`${name} ${args}`), context)
          assert.equal(code, 0, said())
        })
        assert.deepEqual(actionsOf(entries), [actions].flat())
        for (const { actor, source } of entries) {
          assert.equal(actor, 'operator')
          assert.match(source, /^command line, \d+ \S+$/)
        }
        const last = entries.at(-1)
        if (subject) assert.match(last?.subject ?? '', subject)
        if (details) assert.match(last?.details ?? '', details)
      })
    }

    for (const line of [
      'accounts disable bob --yes',
      'accounts enable unknown',
      'agents remove unknown',
      'tokens revoke nothing',
      'devices revoke nothing --yes',
      'api-keys revoke nothing',
      'trust remove canonical',
      'brands remove acme-brand --yes',
      'models remove acme-brand/nothing',
      'models disallow-remodel acme-brand/acme-classic acme-brand/nothing',
      'allow-list remove --serial nothing --model acme-brand/acme-classic',
      'models set-policy acme-brand/acme-classic',
      'models set-policy acme-brand/acme-classic --serial-template nothing',
      'accounts add bob --email b@example.org --name Bob --no-password',
      'accounts add rob --email B@example.org --name Rob --password-stdin',
      'accounts password-logins off bob',
      'accounts totp disable bob',
      'accounts totp reset bob',
      'accounts reset-link unknown --url https://id.example.org',
    ]) {
      test(`${line}, which changes nothing, leaves no entry`, async () => {
        const run = () => runCommand(line.split(' '), commandLine(service, 'correct horse').context)
        if (line === 'accounts disable bob --yes') await run()
        assert.deepEqual(actionsOf(await leaves(run)), [])
      })
    }
  })

  describe('HTTP', () => {
    const issuers = vectorIssuers()
    const DEVICE = /^device-key:[\w-]{64}$/
    const shown = { requestHeaders: { 'api-key': 'synthetic-api-key-0001' } }
    const policy = (given: Parameters<typeof setAcmePolicy>[1]) => setAcmePolicy(service.installation, given)
    const registers = (serial: string, key = newKey()) => registered(service, { key, serial, ...shown })
    const answers = async (work: Promise<{ readonly status: number }>, status = 200) =>
      assert.equal((await work).status, status)
    /** Returns the actions that `work` leaves. They come from this machine, because no proxy names another address. */
    const leavesBy = async (
      actor: RegExp,
      work: () => Promise<unknown>,
      source = '127.0.0.1',
    ): Promise<readonly Action[]> => {
      const entries = await leaves(work)
      for (const entry of entries) {
        assert.match(entry.actor, actor)
        assert.equal(entry.source, source)
      }
      return entries.map(({ action }) => action as Action)
    }

    const CHANGING = [
      ...['exchangeToken', 'exportLogin', 'revokeToken', 'registerDevice', 'openSession'],
      ...['gatewayExchange', 'ussoExchange', 'offlineExchange', 'gatewayRevoke', 'exchangeIdToken'],
    ]
    const ONLY_ASK: Readonly<Record<string, () => Promise<unknown>>> = {
      createToken: () => getRoot(service),
      listTokens: () => fetch(`${service.baseUrl}/api/v2/tokens`),
      whoami: () => fetch(`${service.baseUrl}/api/v2/tokens/whoami`),
      ubuntuOneRoot: () => getPasswordRoot(service),
      ussoRoot: () => getPasswordRoot(service, { path: '/v1/tokens/usso' }),
      gatewayToken: () => call(service, 'POST', '/v1/tokens', { body: {} }),
      verifyAuthorization: () =>
        call(service, 'POST', '/dev/api/acl/verify/', {
          body: { auth_data: { authorization: 'Macaroon x' } },
        }),
      developerAccount: () => fetch(`${service.baseUrl}/dev/api/account`),
      gatewayTokens: () => fetch(`${service.baseUrl}/v1/tokens`),
      gatewayWhoami: () => fetch(`${service.baseUrl}/v1/tokens/whoami`),
      oidcAudience: () => call(service, 'GET', '/api/v2/tokens/oidc'),
      authorizationServer: () => call(service, 'GET', '/.well-known/oauth-authorization-server'),
      nonces: () => getNonce(service),
      requestId: () => getRequestId(service),
      deviceSession: () => fetch(`${service.baseUrl}/device-session`),
      assertion: () => fetch(`${service.baseUrl}/v2/assertions/account/acme-brand`),
    }
    test('knows for each operation whether it changes something; add new ones here', async () => {
      assert.deepEqual([...CHANGING, ...Object.keys(ONLY_ASK)].sort(), Object.keys(OPERATIONS).sort())
      const all = async () => {
        for (const ask of Object.values(ONLY_ASK)) await ask()
      }
      assert.deepEqual(await leavesBy(/./, all), [])
    })

    /** The routes of the identity service that can make a change, tested below or where noted. All others follow. */
    const CHANGING_PAGES = [
      ...['POST /login', 'POST /confirm', 'POST /logout'],
      // Tested in identity/second-factor.test.ts and identity/own-password.test.ts.
      ...['POST /second-factor', 'POST /enrol', 'POST /confirm-second-factor', 'POST /manage-second-factor'],
      // Tested in identity/sign-in-link.test.ts.
      ...['POST /change-password', 'POST /reset', 'POST /sign-in-link'],
    ]
    const ASKING_PAGES = [
      ...['GET /login', 'GET /login/agent', 'GET /wait-token', 'POST /discharge'],
      ...['GET /discharge/info', 'GET /publickey', 'GET /', 'GET /account', 'GET /change-password'],
      ...['GET //discharge/info', 'POST //discharge'],
      ...['GET /reset', 'GET /sign-in-link', 'GET /enrol', 'GET /manage-second-factor'],
      // It uses up a code whose login was recorded when it was approved.
      'POST /discharge-token',
    ]
    test('knows for each route of the identity service whether it changes something', async () => {
      const routes: string[] = []
      const app = fastify({ exposeHeadRoutes: false })
      app.addHook('onRoute', ({ method, url }) => {
        if (!url.endsWith('*')) routes.push(...[method].flat().map((one) => `${one} ${url}`))
      })
      await app.register(identityRoutes, { ...service.installation, location: 'http://127.0.0.1' })
      await app.close()
      assert.deepEqual(routes.sort(), [...CHANGING_PAGES, ...ASKING_PAGES].sort())
      const all = async () => {
        for (const route of ASKING_PAGES) {
          const [method, path] = route.split(' ')
          await (await fetch(`${service.baseUrl}/identity${path}`, { method: String(method) })).text()
        }
      }
      assert.deepEqual(await leavesBy(/./, all), [])
    })

    test('tokens: records the first exchange and the first revocation, and nothing in between', async () => {
      const dora = await addPerson(service, 'dora')
      const slice = await dischargeFor(service, await getRoot(service), dora)
      let token = ''
      const exchange = async () => {
        token = await exchangeSlice(service, slice)
      }
      const atOnce = () => Promise.all(Array.from({ length: 8 }, exchange))
      assert.deepEqual(await leavesBy(/^account:dora$/, atOnce), ['token.open'])
      assert.deepEqual(await leavesBy(/./, exchange), [])
      const list = await call(service, 'GET', '/api/v2/tokens', { headers: bearing(token) })
      const id = list.body.macaroons[0]['session-id']
      assert.deepEqual(await leavesBy(/./, () => revokeSession(service, token, 'another')), [])
      assert.deepEqual(await leavesBy(/^account:dora$/, () => revokeSession(service, token, id)), [
        'token.revoke',
      ])
      assert.deepEqual(await leavesBy(/./, () => revokeSession(service, token, id)), [])
    })

    test('logins with a password: the discharge opens, the first exchange describes, and no refresh changes anything', async () => {
      const gina = await addPublisher(service, 'gina')
      let pair = { root: '', discharge: '' }
      const logIn = async () => {
        pair = await logInWithPassword(service, gina)
      }
      const says = (work: () => Promise<unknown>) => leavesBy(/^account:gina$/, work)
      assert.deepEqual(await says(logIn), ['token.open'])
      assert.deepEqual(await says(() => refresh(service, pair.discharge)), [])
      const headers = pairHeader(pair)
      const exchange = (path: string, body: object) => () =>
        answers(call(service, 'POST', path, { headers, body }))
      const described = { 'client-description': 'charmcraft@laptop' }
      const usso = '/v1/tokens/usso/exchange'
      assert.deepEqual(await says(exchange(usso, described)), ['token.describe'])
      assert.deepEqual(await says(exchange(usso, described)), [])
      assert.deepEqual(await says(exchange('/publishergw/v1/tokens/exchange', {})), [])
      assert.deepEqual(await says(exchange('/api/v2/tokens/export', {})), [])
      const wrong = { email: 'gina', password: 'wrong', caveat_id: caveatIdOf(pair.root) }
      assert.deepEqual(await says(() => answers(requestDischarge(service, wrong), 401)), [])
    })

    test('ID tokens of jobs: records a token, and a refusal of a job that its issuer vouches for', async () => {
      const rule = ruleNamed('jenkins')
      // This package is known since the import above.
      await withRule(service, rule, { issuers, grants: { packages: [{ name: 'a' }] } })
      const text = idTokenOf('jenkins', { service, issuers, rule: 'jenkins' })
      const actor = /^issuer:http:\/\/127\.0\.0\.1:\d+\/jenkins$/
      const send = (token: string) => () => exchangeIdToken(service, fieldsOf(token))
      assert.deepEqual(await leavesBy(actor, send(text)), ['publisher.minted'])
      assert.deepEqual(await leavesBy(actor, send(text)), ['publisher.refused'])
      assert.deepEqual(await leavesBy(actor, send(`${text}A`)), [])
      assert.deepEqual(await leavesBy(actor, send('')), [])
    })

    test('logins in a browser: records a sign-in, one approval or refusal, and a sign-out', async () => {
      await runCommand(
        [...'accounts add emil --email e@example.org --name Emil'.split(' '), '--password-stdin'],
        commandLine(service, 'correct horse').context,
      )
      for (const [decision, action] of [
        ['approve', 'login.approve'],
        ['refuse', 'login.deny'],
      ] as const) {
        const { VisitURL } = (await discharging(service.baseUrl)).Info.InteractionMethods['browser-window']
        // The address that the browser claims is before the one that the proxy saw.
        const browser = new Browser({ 'x-forwarded-for': '198.51.100.9, 203.0.113.7' })
        const says = (work: () => Promise<unknown>) => leavesBy(/^account:emil$/, work, '203.0.113.7')
        let page = await browser.open(VisitURL)
        const fields = { username: ' Emil', password: 'correct horse' }
        const wrong = { ...fields, password: 'wrong horse' }
        assert.deepEqual(await says(() => browser.submit(page, 'login', wrong)), [], 'nothing was changed')
        const signIn = async () => {
          page = await browser.submit(page, 'login', fields)
        }
        assert.deepEqual(await says(signIn), ['account.sign-in'])
        const twice = async () => {
          await browser.submit(page, 'confirm', { decision })
          await browser.submit(page, 'confirm', { decision })
        }
        assert.deepEqual(await says(twice), [action])
        const signOut = () => browser.submit(page, 'logout')
        const cookies = new Map(browser.cookies)
        assert.deepEqual(await says(signOut), ['account.sign-out'])
        for (const [name, value] of cookies) browser.cookies.set(name, value)
        assert.deepEqual(await says(signOut), [], 'it is signed out already')
      }
    })

    test('records unknown for a string from a proxy that is not an address', async () => {
      const slice = await dischargeFor(service, await getRoot(service), await addPerson(service, 'fred'))
      const headers = { ...presenting(slice), 'x-forwarded-for': 'Canary0Canary1' }
      const exchange = () => call(service, 'POST', '/api/v2/tokens/exchange', { headers, body: {} })
      assert.deepEqual(await leavesBy(/^account:fred$/, exchange, 'unknown'), ['token.open'])
    })

    test('registrations: records a serial, another key for it and a waiting device, but not a repeated request', async () => {
      await policy({ takenSerial: 'reissue' })
      const key = newKey()
      assert.deepEqual(await leavesBy(DEVICE, () => registers('H-1', key)), ['device.register'])
      assert.deepEqual(await leavesBy(/./, () => registers('H-1', key)), [])
      assert.deepEqual(await leavesBy(DEVICE, () => registers('H-1')), [
        'device.supersede',
        'device.register',
      ])
      await policy({ registration: 'approval' })
      const waits = { key: newKey(), serial: 'H-2', ...shown }
      const ask = () => answers(register(service, waits), 202)
      assert.deepEqual(await leavesBy(DEVICE, ask), ['device.wait'])
      assert.deepEqual(await leavesBy(/./, ask), [])
      const refused = () => answers(register(service, { key: newKey(), serial: 'H-3' }), 401)
      assert.deepEqual(await leavesBy(/./, refused), [])
    })

    test('sessions: records a serial that was signed elsewhere, and a newer one, but not those of a known device', async () => {
      const key = newKey()
      const open = (revision: number) => () =>
        answers(openSession(service, { serial: serialAssertion({ serial: 'E-1', key, revision }), key }))
      assert.deepEqual(await leavesBy(DEVICE, open(0)), ['device.enter'])
      assert.deepEqual(await leavesBy(/./, open(0)), [])
      assert.deepEqual(await leavesBy(DEVICE, open(2)), ['device.update'])
    })

    test('sessions: records once that a device with a clone is quarantined', async () => {
      await policy({ quarantineClones: true })
      const key = newKey()
      const serial = await registers('Q-1', key)
      const first = await openSession(service, { serial, key })
      await answers(openSession(service, { serial, key }))
      const clone = async () => {
        const { body } = await openSession(service, { serial, key, previous: first.body.macaroon })
        assert.equal(body.error_list[0].code, 'device-refused')
      }
      assert.deepEqual(await leavesBy(DEVICE, clone), ['device.quarantine'])
      assert.deepEqual(await leavesBy(/./, clone), [])
    })
  })
})
