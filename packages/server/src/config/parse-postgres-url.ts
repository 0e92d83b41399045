/** Parses the address of a PostgreSQL, strictly, so that a typo never results in a connection without TLS. */
import { readFileSync } from 'node:fs'
import { postgresUrls } from '../postgres-urls.ts'
import { systemReason } from '../text/system-reason.ts'
import { closest } from './closest.ts'
import { parseFilePath } from './values.ts'

/** Throws an `Error` that does not repeat the value, because it may contain a password. */
export function parsePostgresUrl(value: string): string {
  requireEncoded(value)
  const [first] = postgresUrls(value) ?? []
  if (first === undefined) {
    throw new Error(
      'is not a PostgreSQL address. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %23 for # and %2F for / in a password.',
    )
  }
  const { searchParams } = new URL(first)
  const attributes = new URLSearchParams(value.split('?')[1]).get('target_session_attrs')
  if (attributes !== null && !SESSION_ATTRIBUTES.includes(attributes)) {
    throw new Error(
      `has target_session_attrs that this service cannot use, because it writes. Leave it out, or use one of ${SESSION_ATTRIBUTES.join(', ')}, which have the same effect.`,
    )
  }
  requireKnownParameters(value)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new Error(`has an unknown sslmode. It can be ${SSL_MODES.join(', ')}.`)
  }
  if (searchParams.has('uselibpqcompat')) return value
  // `pg` treats them this way today, with a warning that a later version will not check the certificate any more.
  return value.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/, '$1verify-full')
}

/** Reads the address from a file. Throws an `Error` that contains the path, and does not repeat the content. */
export function parsePostgresUrlFile(value: string): string {
  const file = parseFilePath(value)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`names ${file}, which cannot be read: ${systemReason(error)}.`)
  }
  try {
    return parsePostgresUrl(text.trim())
  } catch (error) {
    throw new Error(`names ${file}, whose content ${error instanceof Error ? error.message : String(error)}`)
  }
}

const ENCODING =
  'Percent-encode the user, the password and the database name: %23 for #, %2F for /, %3F for ?, %40 for @, %25 for %.'

/**
 * Refuses an address that has a character of the URL syntax inside a user, a password or a name. It would be read as
 * another address, with a part of the password as the host, which messages show.
 */
function requireEncoded(value: string): void {
  if (value.includes('#')) throw new Error(`has a # that is not percent-encoded. ${ENCODING}`)
  // `URL` drops tabs and line ends.
  if (/\p{Cc}/u.test(value)) throw new Error('has a line end, a tab or another control character. Remove it.')
  if (/%(?![0-9a-fA-F]{2})/.test(value) || !isDecodable(value)) {
    throw new Error(`has a % that does not begin a percent-encoded character. ${ENCODING}`)
  }
  const [, path = '', query = ''] = /^[^:]*:\/\/[^/?]*([^?]*)(.*)$/.exec(value) ?? []
  // The value of a parameter may contain an @, such as the user name of some hosted services.
  if (path.includes('@') || query.replace(/=[^&]*/g, '').includes('@')) {
    throw new Error(`has a / or ? before an @ that is not percent-encoded. ${ENCODING}`)
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** `pg` ignores unknown parameters (with `sslmdoe` there would be no TLS), and uses the last of two equal ones. */
function requireKnownParameters(value: string): void {
  const [, query = ''] = /\?(.*)$/.exec(value) ?? []
  const names = [...new URLSearchParams(query).keys()]
  const unknown = names.find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) {
    // The rest of a password also looks like a parameter after a ? in the address or an & in the parameter `password`.
    const mayBeSecret =
      query.includes('@') || names.includes('password') || !/^[A-Za-z_]{1,40}$/.test(unknown)
    const which = mayBeSecret ? 'an unknown parameter' : `the unknown parameter ${unknown}`
    const meant = mayBeSecret ? undefined : closest(unknown.toLowerCase(), PARAMETERS)
    const known = `The known parameters are ${PARAMETERS.join(', ')}.`
    throw new Error(`has ${which}. ${meant === undefined ? known : `Did you mean ${meant}? ${known}`}`)
  }
  if (new Set(names).size < names.length) throw new Error('has a parameter twice. Remove one.')
}

const PARAMETERS: readonly string[] = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
  ...['target_session_attrs', 'host', 'port', 'user', 'password', 'application_name', 'options'],
]
const SESSION_ATTRIBUTES: readonly string[] = ['read-write', 'primary']
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']
