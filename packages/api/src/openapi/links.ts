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

/** The links by operation and status. A link without parameters needs cryptography in between. */
export const LINKS: { readonly [Id in OperationId]?: Readonly<Record<number, Links>> } = {
  createToken: {
    200: {
      Discharge: {
        operationId: 'discharge',
        description: '`id64` is the `i64` (or `id` the `i`) of the caveat with an `l`.',
      },
      Exchange: {
        operationId: 'exchangeToken',
        description: '`Macaroons` is base64 of a JSON list of the root and its bound discharge.',
      },
    },
  },
  exchangeIdToken: {
    200: {
      Whoami: {
        operationId: 'whoami',
        description: 'Returns what the token permits',
        parameters: { 'header.Macaroons': '$response.body#/access_token' },
      },
      Revoke: {
        operationId: 'revokeToken',
        description: "Revokes the job's session, which the job itself can do",
        parameters: { 'header.Macaroons': '$response.body#/access_token' },
        requestBody: { 'session-id': '$response.body#/session_id' },
      },
    },
  },
  discharge: {
    200: {
      Exchange: {
        operationId: 'exchangeToken',
        description: '`Macaroons` is base64 of a JSON list of the root and its bound discharge.',
      },
    },
    401: {
      AgentLogin: {
        operationId: 'agentLogin',
        description: '`did` is in `/Info/InteractionMethods/agent/login-url`.',
      },
      WaitForLogin: {
        operationId: 'waitForLogin',
        description: '`did` is in `/Info/InteractionMethods/browser-window/WaitTokenURL`.',
      },
      RedeemCode: {
        operationId: 'redeemCode',
        description:
          'The browser returns with `code` from `/Info/InteractionMethods/browser-redirect/LoginURL`.',
      },
    },
  },
  agentLogin: {
    200: {
      Discharge: {
        operationId: 'discharge',
        description: 'Send the same `id64` again, with `token64` and `token-kind=agent`.',
      },
    },
  },
  waitForLogin: {
    200: {
      Discharge: {
        operationId: 'discharge',
        description:
          'Send the same `id64` again, with the `token64` and, as `token-kind`, the `kind` of this response.',
      },
    },
  },
  redeemCode: {
    200: {
      Discharge: {
        operationId: 'discharge',
        description:
          'Send the same `id64` again, with the `value` of the token as `token64` and, as `token-kind`, its `kind`.',
      },
    },
  },
  exchangeToken: {
    200: {
      Whoami: {
        operationId: 'whoami',
        description: 'Returns what the token permits',
        parameters: { 'header.Macaroons': '$response.body#/macaroon' },
      },
      List: {
        operationId: 'listTokens',
        description: "Lists the sessions of the token's account",
        parameters: { 'header.Macaroons': '$response.body#/macaroon' },
      },
    },
  },
  whoami: {
    200: {
      List: {
        operationId: 'listTokens',
        description: 'Lists the sessions of the same account',
        parameters: { 'header.Macaroons': '$request.header.Macaroons' },
      },
    },
  },
  listTokens: {
    200: {
      Revoke: {
        operationId: 'revokeToken',
        description: 'Revokes the newest session',
        parameters: { 'header.Macaroons': '$request.header.Macaroons' },
        requestBody: { 'session-id': '$response.body#/macaroons/0/session-id' },
      },
    },
  },
  nonces: {
    200: {
      OpenSession: {
        operationId: 'openSession',
        description: 'The device signs a device-session-request with the nonce.',
      },
    },
  },
  requestId: {
    200: {
      Register: {
        operationId: 'registerDevice',
        description: 'The device signs a serial-request with the request-id.',
      },
    },
  },
  openSession: {
    200: {
      DeviceSession: {
        operationId: 'deviceSession',
        description: 'Returns the device of the session',
        parameters: { 'header.X-Device-Authorization': 'Macaroon root="{$response.body#/macaroon}"' },
      },
    },
  },
  registerDevice: {
    200: {
      Serial: {
        operationId: 'serialAssertion',
        description: 'Returns the same serial assertion, by its headers `brand-id`, `model` and `serial`',
      },
    },
  },
}
