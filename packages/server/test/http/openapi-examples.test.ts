/**
 * Sends each example of the OpenAPI document and checks that the answer matches. If an example has a value
 * that cannot be sent again (a nonce, a signature, the id of a session), the request has a fresh one instead.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { TOKEN_TYPES } from '@ratafia/api'
import { BakeryErrorSchema } from '@ratafia/api/schemas'
import { decodeStream } from '@ratafia/assertions'
import { encodeBase64, encodeBinary } from '@ratafia/macaroon'
import {
  decodeBakeryMacaroon,
  dischargeAll,
  formatMacaroonsHeader,
  generateKeyPair,
} from '@ratafia/macaroon/bakery'
import { Check } from 'typebox/value'
import { addAccount, addAgent } from '../support/accounts.ts'
import { brandDeps } from '../support/brands.ts'
import { oneDatabase } from '../support/databases.ts'
import {
  getRequestId,
  modelFile,
  presentingSession,
  registered,
  serialRequest,
  sessionBody,
  sessionOf,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { fieldsOf, idTokenOf, vectorIssuers, withRule } from '../support/exchanges.ts'
import { rulesOf } from '../support/id-tokens.ts'
import { Browser } from '../support/identity.ts'
import { assertDocumented, type DocumentedOperation, document } from '../support/openapi.ts'
import { bearing, macaroonOf, revokeSession, sessionIdOf, testService } from '../support/service.ts'

const ADA = {
  username: 'ada',
  email: 'ada@example.org',
  name: 'Ada Lovelace',
  password: 'correct horse battery',
}

/** A request, or the parts that replace an example's. */
interface Parts {
  /** Values by name. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The credential. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A site that browsers return to with a code. The console would use up the code. */
const RETURN_TO = 'https://back.example.org/signed-in'

oneDatabase((_kind, open, fresh) => {
  const service = testService(fresh, { RATAFIA_IDENTITY_RETURN_TO: RETURN_TO })
  const issuers = vectorIssuers()
  const agent = generateKeyPair()
  before(async () => {
    await withAcme(brandDeps(await open()))
    await addAccount(ADA, service.installation)
    const key = { name: 'ci', account: ADA.username, publicKey: encodeBase64(agent.publicKey) }
    for (const rule of rulesOf('jenkins')) {
      await withRule(service, rule, { issuers, account: ADA.username, name: 'hello-release' })
    }
    await addAgent(key, { ...service.installation, location: `${service.baseUrl}/identity` })
  })

  async function send(id: string, { parameters = {}, headers = {}, body }: Parts): Promise<Answer> {
    const { method, template, operation } = find(id)
    const sent: Record<string, string> = { ...headers }
    const query = new URLSearchParams()
    let path = template
    for (const { name, in: where } of operation.parameters ?? []) {
      const value = parameters[name]
      if (value === undefined) continue
      if (where === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
      else if (where === 'query') query.set(name, value)
      else sent[name] = value
    }
    if (query.size > 0) path += `?${query}`
    const type = Object.keys(operation.requestBody?.content ?? {})[0]
    const text = body === undefined || type === undefined ? undefined : ENCODERS[type]?.(body)
    const init = text === undefined ? {} : { headers: { ...sent, 'content-type': `${type}` }, body: text }
    const response = await fetch(`${service.baseUrl}${path}`, { method, headers: sent, ...init })
    const { status } = response
    const answer = await response.text()
    const request = { headers: sent, body: text }
    assertDocumented({ method, path, request, status, headers: response.headers, text: answer })
    const isJson = response.headers.get('content-type') === 'application/json'
    return { status, body: isJson ? JSON.parse(answer) : answer }
  }

  /** Returns the answer to an example whose status is 200. */
  async function sendExample(id: string, name: string, parts: Parts = {}) {
    const { status, body } = await send(id, { ...exampleOf(id, name).request, ...parts })
    assert.equal(status, 200, JSON.stringify(body))
    // biome-ignore lint/suspicious/noExplicitAny: as documented, which `send` has checked
    return body as any
  }

  const newRoot = async () =>
    decodeBakeryMacaroon(JSON.parse((await sendExample('createToken', 'limited')).macaroon))

  /** Returns the login methods in the answer to the discharge of this caveat. */
  async function interactions(id64: string) {
    const { body } = await send('discharge', { body: { id64 } })
    assert.ok(Check(BakeryErrorSchema, body) && body.Info)
    const { agent, 'browser-window': browser, 'browser-redirect': redirect } = body.Info.InteractionMethods
    return {
      ...{ visit: browser.VisitURL, wait: didOf(browser.WaitTokenURL), agent: didOf(agent['login-url']) },
      login: redirect.LoginURL,
    }
  }

  const newCaveat = async (): Promise<string> => {
    const { macaroon } = await newRoot()
    const caveat = macaroon.caveats.find(({ verificationId }) => verificationId !== undefined)
    return encodeBase64(caveat?.id ?? assert.fail('no third-party caveat'))
  }

  const agentLogin = (did: string): Parts => {
    const { parameters } = exampleOf('agentLogin', 'agent').request
    return { parameters: { ...parameters, did, 'public-key': encodeBase64(agent.publicKey) } }
  }

  /** Returns a root with its discharge, after the agent has logged in for it. */
  const newSlice = async (): Promise<Parts> => {
    const slice = await dischargeAll(await newRoot(), async ({ id }) => {
      const id64 = encodeBase64(id)
      const { agent: did } = await interactions(id64)
      const { macaroon } = await sendExample('agentLogin', 'agent', agentLogin(did))
      const login = await dischargeAll(decodeBakeryMacaroon(macaroon), () => assert.fail('not local'), {
        localKeyPair: agent,
      })
      const body = { id64, 'token-kind': 'agent', token64: encodeBase64(encodeBinary(...login)) }
      return decodeBakeryMacaroon((await sendExample('discharge', 'logged-in', { body })).Macaroon)
    })
    return { headers: { macaroons: formatMacaroonsHeader(slice) } }
  }

  const newToken = async (): Promise<string> =>
    (await sendExample('exchangeToken', 'exchanged', await newSlice())).macaroon

  const newSession = async (): Promise<string> => sessionIdOf(macaroonOf(await newToken()))

  async function approve(visit: string): Promise<void> {
    const browser = new Browser()
    const signIn = await browser.open(visit)
    const { username, password } = ADA
    const confirm = await browser.submit(signIn, 'login', { username, password })
    await browser.submit(confirm, 'confirm', { decision: 'approve' })
  }

  /** Returns the code that a browser returned with. */
  async function newCode(): Promise<string> {
    const { login } = await interactions(await newCaveat())
    const browser = new Browser()
    const signIn = await browser.open(`${login}?return_to=${RETURN_TO}`)
    const { username, password } = ADA
    const confirm = await browser.submit(signIn, 'login', { username, password })
    const url = await browser.leave(confirm, 'confirm', { decision: 'approve' })
    return new URL(url ?? '').searchParams.get('code') ?? assert.fail('no code')
  }

  const withToken = async (): Promise<Parts> => ({ headers: bearing(await newToken()) })

  /** The parts of requests that replace those of the examples, by operation and name. */
  const FRESH: Readonly<Record<string, () => Promise<Parts>>> = {
    'exchangeToken/exchanged': newSlice,
    'whoami/limited': withToken,
    'listTokens/active': withToken,
    'listTokens/all': async () => {
      const token = await newToken()
      await revokeSession(service, token, await newSession())
      return { headers: bearing(token) }
    },
    'revokeToken/revoked': async () => ({
      ...(await withToken()),
      body: { 'session-id': await newSession() },
    }),
    'revokeToken/unknown': withToken,
    'exchangeIdToken/exchanged': async () => {
      const subject_token = idTokenOf('jenkins', { service, issuers, rule: 'jenkins' })
      return {
        body: {
          ...fieldsOf(subject_token, { scope: 'package_upload' }),
          subject_token_type: TOKEN_TYPES.idToken,
        },
      }
    },
    'registerDevice/registered': async () => {
      const request = serialRequest({ requestId: await getRequestId(service) })
      return { body: streamOf(request, modelFile.bytes) }
    },
    'openSession/opened': async () => ({
      body: await sessionBody(service, { serial: await registered(service) }),
    }),
    'deviceSession/valid': async () => ({
      headers: presentingSession(await sessionOf(service, { serial: await registered(service) })),
    }),
    'discharge/not-logged-in': async () => ({ body: { id64: await newCaveat() } }),
    'discharge/logged-in': async () => {
      const id64 = await newCaveat()
      const { visit, wait } = await interactions(id64)
      await approve(visit)
      const { kind, token64 } = await sendExample('waitForLogin', 'approved', { parameters: { did: wait } })
      return { body: { id64, 'token-kind': kind, token64 } }
    },
    'waitForLogin/approved': async () => {
      const { visit, wait } = await interactions(await newCaveat())
      await approve(visit)
      return { parameters: { did: wait } }
    },
    'redeemCode/came-back': async () => ({ body: { code: await newCode() } }),
    'agentLogin/agent': async () => agentLogin((await interactions(await newCaveat())).agent),
  }

  test('every example of a request has an answer', () => {
    const answered = new Set(everyExample().map(({ id, name }) => `${id}/${name}`))
    for (const { operationId: id, parameters = [], requestBody } of everyOperation()) {
      for (const { examples = {} } of [...parameters, ...Object.values(requestBody?.content ?? {})]) {
        for (const name of Object.keys(examples)) assert.ok(answered.has(`${id}/${name}`), `${id}/${name}`)
      }
    }
  })

  for (const { id, name, status } of everyExample()) {
    test(`${id}: ${name} (${status})`, async () => {
      const { request, answer } = exampleOf(id, name)
      const fresh = (await FRESH[`${id}/${name}`]?.()) ?? {}
      for (const part of ['parameters', 'body'] as const) {
        if (fresh[part] !== undefined) assert.deepEqual(outlineOf(fresh[part]), outlineOf(request[part]))
      }
      const seen = await send(id, { ...request, ...fresh })
      assert.equal(seen.status, status, JSON.stringify(seen.body))
      assertAlike(seen.body, answer)
    })
  }
})

const didOf = (url: string): string => new URL(url).searchParams.get('did') ?? assert.fail('no did')

const ENCODERS: Readonly<Record<string, (body: unknown) => string>> = {
  'application/json': JSON.stringify,
  'application/x-www-form-urlencoded': (body) =>
    String(new URLSearchParams(body as Readonly<Record<string, string>>)),
  'application/x.ubuntu.assertion': String,
}

interface Found {
  readonly method: string
  readonly template: string
  readonly operation: DocumentedOperation
}

function find(id: string): Found {
  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === id) return { method: method.toUpperCase(), template, operation }
    }
  }
  return assert.fail(`no operation ${id}`)
}

function everyOperation(): readonly DocumentedOperation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods))
}

/** Lists the examples by their answers; a test checks that each request has one. */
function everyExample() {
  return everyOperation().flatMap(({ operationId: id, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ examples = {} }) =>
        Object.keys(examples).map((name) => ({ id, name, status: Number(status) })),
      ),
    ),
  )
}

function exampleOf(id: string, name: string): { readonly request: Parts; readonly answer: unknown } {
  const { parameters = [], requestBody, responses } = find(id).operation
  const given = parameters.flatMap((parameter) => {
    const value = parameter.examples?.[name]?.value
    return value === undefined ? [] : [[parameter.name, String(value)] as const]
  })
  const contents = Object.values(responses).flatMap(({ content = {} }) => Object.values(content))
  const body = Object.values(requestBody?.content ?? {})[0]?.examples?.[name]?.value
  return {
    request: { parameters: Object.fromEntries(given), ...(body === undefined ? {} : { body }) },
    answer: contents.find(({ examples = {} }) => name in examples)?.examples?.[name]?.value,
  }
}

/** Values that differ every time. */
const VARIES =
  /^(nonce|request-id|session-id|id|id64|serial|valid-since|valid-until|revoked-at|PublicKey|public-key|did|token64|token-kind|VisitURL|WaitTokenURL|LoginURL|DischargeTokenURL|login-url|access_token|credentials|session_id|subject_token)$/

/** A string that the service sealed, perhaps in base64 again: long, with a fixed beginning. */
const SEALED = /^(?:AQAAAA|QVFBQUFB)[\w+/=-]{100,}$/

/**
 * Returns `seen` in outline: the types and headers of assertions, the conditions of macaroons, and no varying values.
 */
function outlineOf(seen: unknown, name = ''): unknown {
  if (typeof seen === 'string') {
    if (/^type: /.test(seen)) return assertionsIn(seen)
    if (name === 'macaroon') return conditionsIn(seen.startsWith('{') ? JSON.parse(seen) : seen)
    return VARIES.test(name) || SEALED.test(seen) ? name : seen
  }
  if (typeof seen !== 'object' || seen === null) return seen
  if (/^macaroon$/i.test(name)) return conditionsIn(seen)
  if (name === 'macaroons')
    return [...new Set([seen].flat().map((one) => JSON.stringify(outlineOf(one))))].sort()
  if (Array.isArray(seen)) return seen.map((one) => outlineOf(one))
  return Object.fromEntries(Object.entries(seen).map(([key, member]) => [key, outlineOf(member, key)]))
}

function assertAlike(seen: unknown, answer: unknown): void {
  assert.deepEqual(outlineOf(seen), outlineOf(answer))
}

const assertionsIn = (stream: string): object[] =>
  decodeStream(Buffer.from(stream)).map(({ type, headers }) => [type, ...headers.keys()])

/** Returns the first word of each caveat; `third party` for a third-party caveat. */
function conditionsIn(macaroon: unknown): string[] {
  const decoded =
    typeof macaroon === 'string' ? macaroonOf(macaroon) : decodeBakeryMacaroon(macaroon).macaroon
  return (decoded?.caveats ?? []).map(({ id, verificationId }) =>
    verificationId === undefined ? (Buffer.from(id).toString().split(' ')[0] ?? '') : 'third party',
  )
}
