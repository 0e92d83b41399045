/** How a request presents its credential: security schemes, and the headers that links and generated clients set. */
import type { Operation } from '../operation.ts'
import type { Parameter } from './described.ts'

interface Scheme {
  readonly type: 'apiKey'
  readonly in: 'header'
  readonly name: string
  readonly description: string
}

const MACAROONS =
  'Base64 (standard or URL-safe, padded or not) of a JSON list of macaroons or of concatenated binary macaroons, the root first and each discharge bound to it. A single token needs no discharge. The header can be repeated, and can have several values separated by commas; the first valid one counts.'

const header = (name: string, description: string): Scheme => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})

/** The security schemes, for `components`. */
export const securitySchemes = {
  token: header(
    'Authorization',
    '`Macaroon TOKEN` or `Bearer TOKEN`, the scheme in any case. TOKEN is the `macaroon` of the exchange, or anything that `Macaroons` accepts, or JSON text of a macaroon or a list of them. `Macaroon root=R, discharge=D` also works, each base64 of one binary macaroon, quoted or not.',
  ),
  macaroons: header('Macaroons', MACAROONS),
  deviceSession: header(
    'X-Device-Authorization',
    '`Macaroon root="SESSION"`, the `macaroon` of `openSession`, quoted or not',
  ),
  apiKey: header('api-key', 'A key of the model, if the model requires one'),
} as const satisfies Record<string, Scheme>

type SchemeName = keyof typeof securitySchemes

/** The alternative credentials of an operation; `undefined` means without one. */
const WAYS: Readonly<Record<Operation['credential'], readonly (SchemeName | undefined)[]>> = {
  none: [],
  'root-and-discharge': ['macaroons', 'token'],
  token: ['token', 'macaroons'],
  'device-session': ['deviceSession'],
  'previous-session': [undefined, 'deviceSession'],
  'api-key': [undefined, 'apiKey'],
  // OpenAPI has no scheme for a credential in the body.
  'in-body': [],
}

export const securityOf = (credential: Operation['credential']): readonly object[] =>
  WAYS[credential].map((name) => (name === undefined ? {} : { [name]: [] }))

/** Returns the credential's headers as parameters. OpenAPI does not allow one for `Authorization`. */
export const credentialParameters = (credential: Operation['credential']): readonly Parameter[] =>
  WAYS[credential].flatMap((way): readonly Parameter[] => {
    if (way === undefined || way === 'token') return []
    const { name, description } = securitySchemes[way]
    return [{ name, in: 'header', required: false, description, schema: { type: 'string' } }]
  })
