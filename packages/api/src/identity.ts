/** The wire schemas of the identity service: the bakery's discharge protocol. Names are capitalised there. */
import Type, { type Static } from 'typebox'
import { BAKERY_ERROR_CODES, type BakeryErrorCode } from './error-codes.ts'

export const DischargeInfoSchema = Type.Object({
  PublicKey: Type.String({ description: 'X25519 public key, base64' }),
  Version: Type.Integer({ description: 'The newest bakery version of caveats that the discharger opens' }),
  /** Only ours: an issuer may append a summary of the requested token to the condition. */
  RequestSummary: Type.Optional(Type.Boolean()),
})
export type DischargeInfo = Static<typeof DischargeInfoSchema>

const InteractionMethodsSchema = Type.Object({
  'browser-window': Type.Object({ VisitURL: Type.String(), WaitTokenURL: Type.String() }),
  agent: Type.Object({ 'login-url': Type.String() }),
})

export const BakeryErrorSchema = Type.Object({
  Code: Type.Enum(Object.keys(BAKERY_ERROR_CODES) as BakeryErrorCode[]),
  Message: Type.String({ minLength: 1 }),
  Info: Type.Optional(Type.Object({ InteractionMethods: InteractionMethodsSchema })),
})
