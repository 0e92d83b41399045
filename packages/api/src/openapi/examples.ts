/** The examples in the OpenAPI document. A server test sends each one and compares the answers. */
import { CI_EXAMPLES } from '../ci/examples.ts'
import type { IDENTITY_OPERATIONS } from '../identity/operations.ts'
import type { OPERATIONS } from '../operations.ts'
import type { PASSWORD_OPERATIONS } from '../publishers/password-operations.ts'
import { ASSERTIONS, MACAROONS, ONE_USE, SEALED } from './example-texts.ts'

export interface Example {
  /** The request and the answer of an example have the same name. */
  readonly name: string
  readonly summary: string
  /** Values by name, without the credential. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status: number
  readonly answer: unknown
}

export type OperationId =
  | keyof typeof OPERATIONS
  | keyof typeof IDENTITY_OPERATIONS
  | keyof typeof PASSWORD_OPERATIONS
  | `${string}Assertion`

const refused = (code: string, message: string, extra: object): object => {
  const list = [{ code, message, extra }]
  return { error_list: list, 'error-list': list }
}

const record = {
  description: 'laptop',
  'revoked-at': null,
  'revoked-by': null,
  'session-id': '567487c8-901e-4417-a930-3b07f987c482',
  'valid-since': '2026-11-20T22:14:43.336Z',
  'valid-until': '2099-01-31T12:00:00.000Z',
}
const revoked = { ...record, 'revoked-at': '2026-11-20T22:15:02.118Z', 'revoked-by': 'ada' }

const noMacaroon = {
  name: 'without-a-token',
  summary: 'No credential',
  status: 401,
  answer: refused(
    'macaroon-authorization-required',
    'The request carries no macaroon. Send one as "Authorization: Macaroon …" or "Macaroons: …".',
    { realm: 'Ratafia' },
  ),
}

/** The examples by operation. */
export const EXAMPLES: { readonly [Id in OperationId]?: readonly Example[] } = {
  createToken: [
    {
      name: 'limited',
      summary: 'A token for uploads to two channels',
      body: {
        permissions: ['package_access', 'package_upload'],
        channels: ['edge', '2.*/stable'],
        packages: [{ name: 'hello-world' }],
        expires: '2099-01-31T12:00:00Z',
        description: 'laptop',
      },
      status: 200,
      answer: { macaroon: MACAROONS.root },
    },
    {
      name: 'unlimited',
      summary: 'No limits',
      body: {},
      status: 200,
      answer: { macaroon: MACAROONS.unlimitedRoot },
    },
    {
      name: 'no-such-date',
      summary: 'An expiry on a date that does not exist',
      body: { expires: '2099-02-30T12:00:00Z' },
      status: 400,
      answer: refused('invalid-field', 'The field "expires" is a date or time that does not exist.', {
        field: 'body/expires',
      }),
    },
  ],
  exchangeToken: [
    {
      name: 'exchanged',
      summary: 'The root and its discharge in `Macaroons`',
      body: {},
      status: 200,
      answer: { macaroon: MACAROONS.token },
    },
    noMacaroon,
  ],
  whoami: [
    {
      name: 'limited',
      summary: 'A token with limits',
      status: 200,
      answer: {
        account: {
          email: 'ada@example.org',
          id: '76c3qCgqTSDkDdECmrmkJbfm7jkvCIXZ',
          name: 'Ada Lovelace',
          username: 'ada',
        },
        channels: ['edge', '2.*/stable'],
        packages: ['hello-world'],
        permissions: ['package_access', 'package_upload'],
        store_ids: null,
        expires: '2099-01-31T12:00:00.000',
      },
    },
    noMacaroon,
  ],
  listTokens: [
    { name: 'active', summary: 'Active sessions', status: 200, answer: { macaroons: [record] } },
    {
      name: 'all',
      summary: 'Including revoked and expired sessions',
      parameters: { 'include-inactive': 'true' },
      status: 200,
      answer: { macaroons: [record, revoked] },
    },
  ],
  revokeToken: [
    {
      name: 'revoked',
      summary: 'A session of the account',
      body: { 'session-id': record['session-id'] },
      status: 200,
      answer: { macaroons: [revoked] },
    },
    {
      name: 'unknown',
      summary: "No session, or another account's session",
      body: { 'session-id': '00000000-0000-4000-8000-000000000000' },
      status: 400,
      answer: refused(
        'resource-not-found',
        'There is no session with this id that your credentials may revoke.',
        {},
      ),
    },
  ],
  nonces: [{ name: 'nonce', summary: 'A nonce', status: 200, answer: { nonce: ONE_USE.nonce } }],
  requestId: [
    { name: 'request-id', summary: 'A request-id', status: 200, answer: { 'request-id': ONE_USE.requestId } },
  ],
  registerDevice: [
    {
      name: 'registered',
      summary: 'A serial-request and the model of the device',
      body: `${ASSERTIONS.serialRequest}\n${ASSERTIONS.model}`,
      status: 200,
      answer: ASSERTIONS.serial,
    },
    {
      name: 'no-assertion',
      summary: 'Not an assertion',
      body: 'hello',
      status: 400,
      answer: refused('invalid-assertion', 'invalid assertion: no blank line after the headers.', {}),
    },
  ],
  openSession: [
    {
      name: 'opened',
      summary: 'A new session',
      body: {
        'serial-assertion': ASSERTIONS.serial,
        'device-session-request': ASSERTIONS.sessionRequest,
        'model-assertion': ASSERTIONS.model,
      },
      status: 200,
      answer: { macaroon: MACAROONS.session },
    },
  ],
  deviceSession: [
    {
      name: 'valid',
      summary: 'A valid session',
      status: 200,
      answer: {
        'brand-id': 'acme-brand',
        model: 'acme-classic',
        serial: 'fc561f5e-ca2a-4fef-a159-283af707be30',
        'device-key-sha3-384': 'svM-t1e0Y4_5EVuEM27lXVsow8mqf2X7qU741t9hnU7gmm7dRccvq3uBfiRR4I1E',
        store: 'acme-store',
        'session-id': '01a202f4-c70a-72cf-8fd2-5f0ba0f21170',
        'valid-since': '2026-11-22T11:12:05.897Z',
        'valid-until': '2026-11-23T11:12:05.897Z',
      },
    },
    {
      name: 'none',
      summary: 'No session',
      status: 401,
      answer: refused('device-session-required', 'The request carries no device session.', {
        realm: 'Ratafia',
      }),
    },
  ],
  accountAssertion: [
    {
      name: 'brand',
      summary: 'The account of a brand',
      parameters: { 'account-id': 'acme-brand', 'max-format': '0' },
      status: 200,
      answer: ASSERTIONS.account,
    },
    {
      name: 'unknown',
      summary: 'An account that is unknown here',
      parameters: { 'account-id': 'unknown' },
      status: 404,
      answer: refused('assertion-not-found', 'This service has no such assertion.', {}),
    },
  ],
  modelAssertion: [
    {
      name: 'model',
      summary: 'A model',
      parameters: { series: '16', 'brand-id': 'acme-brand', model: 'acme-classic' },
      status: 200,
      answer: ASSERTIONS.model,
    },
  ],
  dischargeInfo: [
    {
      name: 'key',
      summary: 'The newest key',
      status: 200,
      answer: {
        PublicKey: SEALED.publicKey,
        Version: 3,
        RequestSummary: true,
        PasswordLogins: true,
        Login: true,
      },
    },
  ],
  publicKey: [
    { name: 'key', summary: 'The newest key', status: 200, answer: { PublicKey: SEALED.publicKey } },
  ],
  discharge: [
    {
      name: 'not-logged-in',
      summary: 'Without a token',
      body: { id64: SEALED.caveat },
      status: 401,
      answer: {
        Code: 'interaction required',
        Message: 'Log in first: open the page in a browser, or use an agent key.',
        Info: {
          InteractionMethods: {
            'browser-window': {
              VisitURL: `http://127.0.0.1:8080/identity/login?did=${SEALED.did}`,
              WaitTokenURL: `http://127.0.0.1:8080/identity/wait-token?did=${SEALED.did}`,
            },
            'browser-redirect': {
              LoginURL: `http://127.0.0.1:8080/identity/login-redirect/${SEALED.did}`,
              DischargeTokenURL: 'http://127.0.0.1:8080/identity/discharge-token',
            },
            agent: { 'login-url': `http://127.0.0.1:8080/identity/login/agent?did=${SEALED.did}` },
          },
        },
      },
    },
    {
      name: 'logged-in',
      summary: 'With the token of a login',
      body: { id64: SEALED.caveat, 'token-kind': 'login', token64: SEALED.token64 },
      status: 200,
      answer: { Macaroon: MACAROONS.discharge },
    },
    {
      name: 'no-id',
      summary: 'Without a caveat',
      body: { 'token-kind': 'login' },
      status: 400,
      answer: {
        Code: 'bad request',
        Message: 'The parameter "id" or "id64" is missing: the id of the caveat to discharge.',
      },
    },
  ],
  ...CI_EXAMPLES,
  waitForLogin: [
    {
      name: 'approved',
      summary: 'The user has approved',
      parameters: { did: SEALED.did },
      status: 200,
      answer: { kind: 'login', token64: SEALED.token64 },
    },
  ],
  redeemCode: [
    {
      name: 'came-back',
      summary: 'A browser has returned with the code',
      body: { code: SEALED.did },
      status: 200,
      answer: { token: { kind: 'login', value: SEALED.token64 } },
    },
  ],
  agentLogin: [
    {
      name: 'agent',
      summary: 'An agent of the account',
      parameters: {
        did: SEALED.did,
        username: 'ci',
        'public-key': SEALED.publicKey,
        'Bakery-Protocol-Version': '3',
      },
      status: 200,
      answer: { macaroon: MACAROONS.agentLogin },
    },
  ],
}
