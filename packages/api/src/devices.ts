/** The wire schemas of `/api/v1/snaps/auth` (specification, "Endpoints"; contract/devices.md 1). */
import Type, { type Static } from 'typebox'

const exactly = { additionalProperties: false }

export const NonceResponseSchema = Type.Object({ nonce: Type.String({ minLength: 1 }) }, exactly)

export const RequestIdResponseSchema = Type.Object({ 'request-id': Type.String({ minLength: 1 }) }, exactly)
export type RequestIdResponse = Static<typeof RequestIdResponseSchema>

export const OpenSessionRequestSchema = Type.Object(
  {
    'serial-assertion': Type.String({ description: 'An encoded serial assertion' }),
    'device-session-request': Type.String({
      description: 'An encoded device-session-request assertion, signed by the device key',
    }),
    'model-assertion': Type.Optional(Type.String({ description: 'An encoded model assertion' })),
  },
  exactly,
)

/** An encoded assertion, or several separated by an empty line. */
export const AssertionStreamSchema = Type.String({ description: 'Encoded snap assertions' })

/** Other parameters are ignored. */
export const AssertionQuerySchema = Type.Object({
  'max-format': Type.Optional(
    Type.String({
      description: 'The newest format that the client reads: assertions of newer ones are not found',
    }),
  ),
})

/** The device that a session speaks for, and until when. */
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
  exactly,
)
export type DeviceSessionDescription = Static<typeof DeviceSessionSchema>
