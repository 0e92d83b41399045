/** The wire schemas of the identity service: the bakery's discharge protocol, whose names are capitalised. */
import type { Static } from 'typebox'
import { BAKERY_ERROR_CODES, type BakeryErrorCode } from '../error-codes.ts'
import { Type } from '../type.ts'

const PublicKeySchema = Type.String({ description: 'X25519 public key, base64' })

export const PublicKeyResponseSchema = Type.Object({ PublicKey: PublicKeySchema }, { title: 'PublicKey' })

export const DischargeInfoSchema = Type.Object(
  {
    PublicKey: PublicKeySchema,
    Version: Type.Integer({ description: 'The newest bakery version of caveats that the discharger opens' }),
    RequestSummary: Type.Optional(
      Type.Boolean({
        description: 'Ratafia only: an issuer can append a summary of the requested token to the condition',
      }),
    ),
    PasswordLogins: Type.Optional(
      Type.Boolean({
        description:
          'Ratafia only: programs can log in with a password, at `/api/v2/tokens/discharge` of its host',
      }),
    ),
    Login: Type.Optional(
      Type.Boolean({
        description:
          'Ratafia only: if the condition needs `signed-in` declared, the discharge contains how and when the user signed in',
      }),
    ),
  },
  { title: 'DischargeInfo' },
)
export type DischargeInfo = Static<typeof DischargeInfoSchema>

/** The parameters of a discharge; either `id` or `id64` is required. */
export const DischargeParametersSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: "The caveat's id as text" })),
    id64: Type.Optional(
      Type.String({ description: "The caveat's id in base64, any variant. Overrides `id`" }),
    ),
    caveat64: Type.Optional(
      Type.String({ description: 'The payload for a short id of bakery version 3, in base64' }),
    ),
    token: Type.Optional(Type.String({ description: 'The result of a login as text' })),
    token64: Type.Optional(
      Type.String({ description: 'The result of a login in base64, any variant. Overrides `token`' }),
    ),
    'token-kind': Type.Optional(Type.String({ description: 'The kind of the token: `login` or `agent`' })),
  },
  { title: 'DischargeRequest' },
)

const SealedSchema = Type.String({
  minLength: 1,
  description: 'Sealed by this service, hundreds of characters. Pass it on unchanged',
})

export const WaitParametersSchema = Type.Object({ did: SealedSchema })

export const AgentLoginParametersSchema = Type.Object({
  did: SealedSchema,
  username: Type.String({ minLength: 1, description: 'The name of the agent' }),
  'public-key': Type.String({ minLength: 1, description: 'The public key of the agent: 32 bytes in base64' }),
})

export const BakeryVersionHeadersSchema = Type.Object({
  'Bakery-Protocol-Version': Type.Optional(
    Type.String({ description: 'With 3 or more, the macaroon has the version 3 wrapper' }),
  ),
})

/** Clients read it with a macaroon library, so its parts are not described. */
const MacaroonObjectSchema = Type.Object(
  {},
  {
    title: 'MacaroonObject',
    additionalProperties: true,
    description:
      'A macaroon as JSON: bare in version 2, or in the wrapper of bakery version 3 (`m`, `v`, `ns`)',
  },
)

export const DischargeResponseSchema = Type.Object({ Macaroon: MacaroonObjectSchema }, { title: 'Discharge' })

export const AgentLoginResponseSchema = Type.Object(
  { macaroon: MacaroonObjectSchema },
  { title: 'AgentLogin', description: 'The private key opens its caveat for the location `local`' },
)

export const WaitResponseSchema = Type.Object(
  {
    kind: Type.String({ description: 'The value for `token-kind`' }),
    token64: Type.String({ description: 'The value for `token64`; padded base64 of the standard alphabet' }),
  },
  { title: 'LoginToken' },
)

export const CodeSchema = Type.Object({ code: SealedSchema }, { title: 'CodeRequest' })

export const CodeResponseSchema = Type.Object(
  {
    token: Type.Object(
      {
        kind: Type.String({ description: 'The value for `token-kind`' }),
        value: Type.String({
          description: 'The value for `token64`; padded base64 of the standard alphabet',
        }),
      },
      { title: 'CodeToken' },
    ),
  },
  { title: 'CodeAnswer' },
)

const InteractionMethodsSchema = Type.Object(
  {
    'browser-window': Type.Object(
      {
        VisitURL: Type.String({ description: 'The URL for a user to open in a browser' }),
        WaitTokenURL: Type.String({ description: '`waitForLogin`, complete with its `did`: a secret' }),
      },
      { title: 'BrowserWindowMethod' },
    ),
    'browser-redirect': Type.Object(
      {
        LoginURL: Type.String({
          description:
            'The URL for a browser, with `return_to` and `state` added. The browser returns with a `code`',
        }),
        DischargeTokenURL: Type.String({
          description: '`redeemCode`, which exchanges the code of a returned browser for a token',
        }),
      },
      { title: 'BrowserRedirectMethod' },
    ),
    agent: Type.Object(
      { 'login-url': Type.String({ description: '`agentLogin`, with its `did`' }) },
      { title: 'AgentMethod' },
    ),
  },
  { title: 'InteractionMethods' },
)

export const BakeryErrorSchema = Type.Object(
  {
    Code: Type.Enum(Object.keys(BAKERY_ERROR_CODES) as BakeryErrorCode[], {
      type: 'string',
      title: 'BakeryErrorCode',
    }),
    Message: Type.String({ minLength: 1 }),
    Info: Type.Optional(
      Type.Object({ InteractionMethods: InteractionMethodsSchema }, { title: 'BakeryErrorInfo' }),
    ),
  },
  { title: 'BakeryError' },
)
