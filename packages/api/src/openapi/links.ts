/** Links from an answer to the operations that come next. */
import type { IDENTITY_OPERATIONS } from '../identity/operations.ts'
import type { OPERATIONS } from '../operations.ts'
import type { PASSWORD_OPERATIONS } from '../publishers/password-operations.ts'

type OperationId =
  | keyof typeof OPERATIONS
  | keyof typeof IDENTITY_OPERATIONS
  | keyof typeof PASSWORD_OPERATIONS

interface Link {
  readonly operationId: OperationId | 'serialAssertion'
  readonly description: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly requestBody?: unknown
}

type Links = Readonly<Record<string, Link>>

/** Without parameters, it needs cryptography in between. */
const link = (
  operationId: Link['operationId'],
  description: string,
  parameters?: Link['parameters'],
  requestBody?: unknown,
): Link => ({
  operationId,
  description,
  ...(parameters && { parameters }),
  ...(requestBody !== undefined && { requestBody }),
})

const presenting = (token: string) => ({ 'header.Macaroons': token })

const EXCHANGE = link(
  'exchangeToken',
  '`Macaroons` is base64 of a JSON list of the root and its bound discharge.',
)

/** The links by operation and status. */
export const LINKS: { readonly [Id in OperationId]?: Readonly<Record<number, Links>> } = {
  createToken: {
    200: {
      Discharge: link('discharge', '`id64` is the `i64` (or `id` the `i`) of the caveat with an `l`.'),
      Exchange: EXCHANGE,
    },
  },
  exchangeIdToken: {
    200: {
      Whoami: link('whoami', 'Returns what the token permits', presenting('$response.body#/access_token')),
      Revoke: link(
        'revokeToken',
        "Revokes the job's session, which the job itself can do",
        presenting('$response.body#/access_token'),
        { 'session-id': '$response.body#/session_id' },
      ),
    },
  },
  discharge: {
    200: {
      Exchange: EXCHANGE,
    },
    401: {
      AgentLogin: link('agentLogin', '`did` is in `/Info/InteractionMethods/agent/login-url`.'),
      WaitForLogin: link(
        'waitForLogin',
        '`did` is in `/Info/InteractionMethods/browser-window/WaitTokenURL`.',
      ),
      RedeemCode: link(
        'redeemCode',
        'The browser returns with `code` from `/Info/InteractionMethods/browser-redirect/LoginURL`.',
      ),
    },
  },
  agentLogin: {
    200: {
      Discharge: link('discharge', 'Send the same `id64` again, with `token64` and `token-kind=agent`.'),
    },
  },
  waitForLogin: {
    200: {
      Discharge: link(
        'discharge',
        'Send the same `id64` again, with the `token64` and, as `token-kind`, the `kind` of this response.',
      ),
    },
  },
  redeemCode: {
    200: {
      Discharge: link(
        'discharge',
        'Send the same `id64` again, with the `value` of the token as `token64` and, as `token-kind`, its `kind`.',
      ),
    },
  },
  exchangeToken: {
    200: {
      Whoami: link('whoami', 'Returns what the token permits', presenting('$response.body#/macaroon')),
      List: link(
        'listTokens',
        "Lists the sessions of the token's account",
        presenting('$response.body#/macaroon'),
      ),
    },
  },
  whoami: {
    200: {
      List: link(
        'listTokens',
        'Lists the sessions of the same account',
        presenting('$request.header.Macaroons'),
      ),
    },
  },
  listTokens: {
    200: {
      Revoke: link('revokeToken', 'Revokes the newest session', presenting('$request.header.Macaroons'), {
        'session-id': '$response.body#/macaroons/0/session-id',
      }),
    },
  },
  nonces: {
    200: { OpenSession: link('openSession', 'The device signs a device-session-request with the nonce.') },
  },
  requestId: {
    200: { Register: link('registerDevice', 'The device signs a serial-request with the request-id.') },
  },
  openSession: {
    200: {
      DeviceSession: link('deviceSession', 'Returns the device of the session', {
        'header.X-Device-Authorization': 'Macaroon root="{$response.body#/macaroon}"',
      }),
    },
  },
  registerDevice: {
    200: {
      Serial: link(
        'serialAssertion',
        'Returns the same serial assertion, by its headers `brand-id`, `model` and `serial`',
      ),
    },
  },
}
