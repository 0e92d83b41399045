/** The answer of `GET /`: a description of the service. */
import type { Static } from 'typebox'
import { Type } from './type.ts'

export const ServiceDescriptionSchema = Type.Object(
  {
    service: Type.Literal('ratafia'),
    release: Type.String({ description: 'The release of the software' }),
    version: Type.Integer({ description: 'The version of the API' }),
    endpoints: Type.Array(
      Type.Object(
        {
          method: Type.String(),
          path: Type.String(),
          since: Type.Optional(
            Type.Integer({
              description: 'The API version that introduced it; absent if only Ratafia has it',
            }),
          ),
          summary: Type.String(),
        },
        { title: 'Endpoint', additionalProperties: false },
      ),
    ),
    links: Type.Record(Type.String(), Type.String(), {
      description:
        'Absolute addresses: `self`, `openapi`, `identity`, and `sign-on`, which replaces Ubuntu One for publisher tools',
    }),
    'token-prefix': Type.String({
      description: 'Every token of this installation begins with these characters, for secret scanners',
    }),
    'root-prefix': Type.String({
      description: 'The same for root macaroons that tools get for a login with a password',
    }),
    'stored-root-prefix': Type.String({
      description: 'The same for the base64 in which snapcraft stores such a root with its discharge',
    }),
  },
  { title: 'ServiceDescription', additionalProperties: false },
)
export type ServiceDescription = Static<typeof ServiceDescriptionSchema>
