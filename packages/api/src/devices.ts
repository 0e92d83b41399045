/** The wire schemas of `/api/v1/snaps/auth` (specification, "Endpoints"; contract/devices.md 1). */
import type { Static } from 'typebox'
import { FORMAT_NUMBER } from './patterns.ts'
import { Type } from './type.ts'

const exactly = { additionalProperties: false }
const BASE64URL = '^[A-Za-z0-9_-]+$'

export const NonceResponseSchema = Type.Object(
  { nonce: Type.String({ minLength: 1 }) },
  { title: 'Nonce', ...exactly },
)

export const RequestIdResponseSchema = Type.Object(
  { 'request-id': Type.String({ minLength: 1 }) },
  { title: 'RequestId', ...exactly },
)
export type RequestIdResponse = Static<typeof RequestIdResponseSchema>

export const OpenSessionRequestSchema = Type.Object(
  {
    'serial-assertion': Type.String({ description: 'An encoded serial assertion' }),
    'device-session-request': Type.String({
      description: 'An encoded device-session-request assertion, signed by the device key',
    }),
    'model-assertion': Type.Optional(Type.String({ description: 'An encoded model assertion' })),
  },
  { title: 'OpenSessionRequest', ...exactly },
)

export const DeviceSessionResponseSchema = Type.Object(
  {
    macaroon: Type.String({
      pattern: BASE64URL,
      description: 'The session: a binary version 2 macaroon in base64url without padding',
    }),
  },
  { title: 'DeviceSessionMacaroon', ...exactly },
)

export const DeviceServiceHeadersSchema = Type.Object({
  'X-Snap-Device-Service-URL': Type.Optional(
    Type.String({
      description:
        "The device service of the device's gadget, as snapd sends it to a store proxy. If it is absent or an address of this service, this service answers itself.",
    }),
  ),
})

export const RegistrationHeadersSchema = Type.Object({
  ...DeviceServiceHeadersSchema.properties,
  'Snap-Device-Capabilities': Type.Optional(
    Type.String({
      description:
        'If it contains the word `serial-stream`, the response also has the assertions that the serial needs',
    }),
  ),
})

/** An encoded assertion, or several separated by an empty line. */
export const AssertionStreamSchema = Type.String({ description: 'Encoded snap assertions' })

/** Other parameters are ignored. Newer clients send more, such as `sequence`, for assertions that are not here. */
export const AssertionQuerySchema = Type.Object({
  'max-format': Type.Optional(
    Type.String({
      pattern: FORMAT_NUMBER.pattern,
      description: 'The newest format that the client can read: assertions in newer formats are not found',
    }),
  ),
})

/** The device that a session belongs to, and when the session expires. */
export const DeviceSessionSchema = Type.Object(
  {
    'brand-id': Type.String(),
    model: Type.String(),
    serial: Type.String(),
    'device-key-sha3-384': Type.String(),
    store: Type.Union([Type.String(), Type.Null()]),
    'session-id': Type.String(),
    'valid-since': Type.String({ format: 'date-time' }),
    'valid-until': Type.String({ format: 'date-time' }),
  },
  { title: 'DeviceSession', ...exactly },
)
export type DeviceSessionDescription = Static<typeof DeviceSessionSchema>
