/**
 * Returns a request as a client sent it, byte for byte, except for the recorder's own values: its host, its
 * person, and its macaroons and caveat ids.
 */

export interface Exchange {
  readonly request: { readonly line: string; readonly headers: readonly string[]; readonly body: string }
  readonly response: { readonly status: number; readonly body: string }
}

export interface Transcript {
  readonly client: string
  readonly step: string
  readonly exchanges: readonly Exchange[]
}

/** The values that replace the recorder's own. */
export interface Replacements {
  readonly host: string
  readonly email: string
  readonly password: string
  readonly code: string
  readonly caveatId: string
  readonly root: string
  readonly discharge: string
  readonly boundDischarge: string
  readonly token: string
}

/** Returns the method and path of a request line. */
export const methodAndPath = (line: string): string => line.replace(' //', ' /').replace(/ HTTP\/1\.1$/, '')

/** Returns the text to send. */
export function replayed({ line, headers, body }: Exchange['request'], by: Replacements): string {
  const sent = replacedBody(body, by)
  const lines = headers.map((header) => replacedHeader(header, sent, by))
  return `${replacedLine(line)}\r\n${lines.join('\r\n')}\r\n\r\n${sent}`
}

/**
 * Replaces the path. The recorder configured snapd with `HOST` instead of `HOST/api/v2`. And snapd sends its
 * user's credentials to the store's API, which asks this service about them.
 */
function replacedLine(line: string): string {
  return line
    .replace(/^POST \/tokens\//, 'POST /api/v2/tokens/')
    .replace(/^GET \/v2\/\S+/, 'GET /api/v2/tokens/whoami')
}

function replacedHeader(header: string, body: string, by: Replacements): string {
  const [name = ''] = header.split(':', 1)
  switch (name.toLowerCase()) {
    case 'host':
      return `${name}: ${by.host}`
    case 'content-length':
      return `${name}: ${Buffer.byteLength(body)}`
    case 'authorization':
      return replacedAuthorization(header, by)
    default:
      return header
  }
}

/** Replaces the macaroons. The scheme, its case, and quotes stay unchanged. */
function replacedAuthorization(text: string, { root, boundDischarge, token }: Replacements): string {
  if (!text.includes('root=')) return text.replace(/(Macaroon|Bearer) \S+$/i, `$1 ${token}`)
  return text
    .replace(/root=("?)[\w-]+/, `root=$1${root}`)
    .replace(/discharge=("?)[\w-]+/, `discharge=$1${boundDischarge}`)
}

/** Replaces the values. White space and the order of the members stay unchanged. */
function replacedBody(body: string, by: Replacements): string {
  return body
    .replace('"alice@example.com"', JSON.stringify(by.email))
    .replace(/("password": ?)"secret"/, `$1${JSON.stringify(by.password)}`)
    .replace(/("otp": ?)"123456"/, `$1"${by.code}"`)
    .replace(/\{\\"secret\\":\\"ratafia-opaque-\d+\\",\\"version\\":1\}/, escapedIn(by.caveatId))
    .replace(/("discharge_macaroon": ?)"[^"]*"/, `$1"${by.discharge}"`)
    .replace(/("macaroon": ?)"[^"]*"/, `$1"${by.token}"`)
    .replace(/("authorization": ?)"[^"]*"/, (found) => replacedAuthorization(found, by))
}

/** Returns the text as the inside of a JSON string. */
const escapedIn = (text: string): string => JSON.stringify(text).slice(1, -1)
