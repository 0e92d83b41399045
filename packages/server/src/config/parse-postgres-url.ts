/**
 * The address of a PostgreSQL as a variable gives it: checked, so that a typo never ends in a connection without TLS.
 */
import { postgresUrls } from '../postgres-urls.ts'

/** Throws an `Error` that does not repeat the value: it may contain a password. */
export function parsePostgresUrl(value: string): string {
  const [first] = postgresUrls(value) ?? []
  if (first === undefined) {
    throw new Error(
      'is not a PostgreSQL address. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE; in a password, %23 for #, %2F for /.',
    )
  }
  const attributes = new URLSearchParams(value.split('?')[1]).get('target_session_attrs')
  if (attributes !== null && !SESSION_ATTRIBUTES.includes(attributes)) {
    throw new Error(
      `has target_session_attrs that this service cannot use, because it writes. It can be ${SESSION_ATTRIBUTES.join(', ')}; without it the effect is the same.`,
    )
  }
  const { searchParams } = new URL(first)
  requireKnownParameters(searchParams)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new Error(`has an unknown sslmode. It can be ${SSL_MODES.join(', ')}.`)
  }
  if (searchParams.has('uselibpqcompat')) return value
  // What `pg` makes of them today, with a warning that a later version will no longer check the certificate.
  return value.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/, '$1verify-full')
}

/** `pg` ignores what it does not know (with `sslmdoe` there would be no TLS), and of two parameters takes the last. */
function requireKnownParameters(given: URLSearchParams): void {
  const names = [...given.keys()]
  if (names.some((name) => !PARAMETERS.includes(name))) {
    // The name is not repeated: it may be the rest of a password with a question mark.
    throw new Error(`has an unknown parameter. It can have ${PARAMETERS.join(', ')}.`)
  }
  if (new Set(names).size < names.length) throw new Error('has a parameter twice.')
}

const PARAMETERS: readonly string[] = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
  ...['target_session_attrs', 'host', 'port', 'user', 'password', 'application_name', 'options'],
]
const SESSION_ATTRIBUTES: readonly string[] = ['read-write', 'primary']
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']
