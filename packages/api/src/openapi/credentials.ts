/** How a request presents its credential: as security schemes, and as the headers that links and generated clients set. */
import type { Operation } from '../operation.ts'
import type { Parameter } from './described.ts'

interface Scheme {
  readonly type: 'apiKey'
  readonly in: 'header'
  readonly name: string
  readonly description: string
}

const MACAROONS =
  'Base64 (standard or URL-safe, padded or not) of either a JSON list of macaroons or of binary macaroons one after the other, the root first and each discharge bound to it. A token alone is good as it is. May repeat, and have several values separated by commas; the first valid one counts.'

const header = (name: string, description: string): Scheme => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})

/** For `components`. */
export const securitySchemes = {
  token: header(
    'Authorization',
    '`Macaroon TOKEN` or `Bearer TOKEN`, the scheme in any case. TOKEN is the `macaroon` of the exchange, or anything that `Macaroons` takes, or JSON text of a macaroon or a list of them. `Macaroon root=R, discharge=D` works too, each base64 of one binary macaroon, quoted or not.',
  ),
  macaroons: header('Macaroons', MACAROONS),
  deviceSession: header(
    'X-Device-Authorization',
    '`Macaroon root="SESSION"`, the `macaroon` of `openSession`, quoted or not',
  ),
  apiKey: header('api-key', 'A key of the model, if the model needs one'),
} as const satisfies Record<string, Scheme>

type SchemeName = keyof typeof securitySchemes

/** The ways to authenticate an operation, each an alternative; `undefined` is without. */
const WAYS: Readonly<Record<Operation['credential'], readonly (SchemeName | undefined)[]>> = {
  none: [],
  'root-and-discharge': ['macaroons', 'token'],
  token: ['token', 'macaroons'],
  'device-session': ['deviceSession'],
  'previous-session': [undefined, 'deviceSession'],
  'api-key': [undefined, 'apiKey'],
  // OpenAPI has no scheme for it.
  'in-body': [],
}

export const securityOf = (credential: Operation['credential']): readonly object[] =>
  WAYS[credential].map((name) => (name === undefined ? {} : { [name]: [] }))

/** Its headers as parameters. OpenAPI has none for `Authorization`. */
export const credentialParameters = (credential: Operation['credential']): readonly Parameter[] =>
  WAYS[credential].flatMap((way): readonly Parameter[] => {
    if (way === undefined || way === 'token') return []
    const { name, description } = securitySchemes[way]
    return [{ name, in: 'header', required: false, description, schema: { type: 'string' } }]
  })
