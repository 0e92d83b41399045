/**
 * How the value of a variable is read. Each reader throws an `Error` whose message goes on from the variable's
 * name ("RATAFIA_PORT is not a port: …"), and never repeats a value that may be secret.
 */
import { isIP } from 'node:net'
import { postgresUrls } from '../postgres-urls.ts'
import {
  NO_RATE_LIMITS,
  RATE_LIMIT_NAMES,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from './rate-limits.ts'

/** Milliseconds. */
export const DAY = 86_400_000
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY }

export function parseDuration(value: string): number {
  const [, amount, unit] = /^([1-9][0-9]{0,8})([smhd])$/.exec(value) ?? []
  const milliseconds = Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN)
  // A century: past it, dates leave what the clients' own libraries can write.
  if (!(milliseconds <= 36_525 * DAY)) {
    throw new Error(
      `is not a duration: ${value}. Write a number and s, m, h or d, such as 365d, up to 36525d.`,
    )
  }
  return milliseconds
}

/** A duration, or 0: not at all. */
export const parseDelay = (value: string): number => (/^0s?$/.test(value) ? 0 : parseDuration(value))

/** A duration that is longer than clocks of nodes differ, and than anything that works once is good for. */
export function parseRetention(value: string): number {
  const milliseconds = parseDuration(value)
  if (milliseconds >= 3_600_000) return milliseconds
  throw new Error(`is ${value}. Keep rows for 1h at least.`)
}

export function parseWorkers(value: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(value)) return Number(value)
  throw new Error(`is not a number of processes from 1 to 999: ${value}.`)
}

export function parsePort(value: string): number {
  if (/^tcp:/.test(value)) {
    throw new Error(
      `is ${value}, as Kubernetes sets it for a Service of this name. Give the pod enableServiceLinks: false.`,
    )
  }
  if (!/^[0-9]{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new Error(`is not a port: ${value}. Write a number from 0 to 65535.`)
  }
  return Number(value)
}

export function oneOf<const T extends string>(...choices: readonly T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((one) => one === value)
    if (choice === undefined) throw new Error(`is ${value}; it can be ${choices.join(', ')}.`)
    return choice
  }
}

/** Without a trailing slash. */
export function parseServiceUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@\s]/.test(value)) {
    // What stands after these may be a secret.
    const shown = /[?#@]/.test(value) ? '' : `: ${value}`
    throw new Error(
      `is not an http or https address without credentials, query and fragment${shown}. Write one such as https://store.example.com.`,
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** Several of {@link parseServiceUrl}, each with a trailing slash: a base to append to. */
export function parseServiceUrls(value: string): readonly string[] {
  return value.split(',').map((one) => `${parseServiceUrl(one.trim())}/`)
}

/** A path of plain segments: with a leading slash, without a trailing one. */
export function parsePath(value: string): string {
  if (/^(\/[A-Za-z0-9._-]+)+\/?$/.test(value) && !/\/\.{1,2}(\/|$)/.test(value))
    return value.replace(/\/$/, '')
  throw new Error(
    `is not a path of letters, digits, dots, dashes and underscores: ${value}. Write one such as /v1.`,
  )
}

export function parseCount(value: string): number {
  if (/^[1-9][0-9]{0,6}$/.test(value)) return Number(value)
  throw new Error(`is not a number from 1 to 9999999: ${value}.`)
}

/** `NAME=COUNT/PERIOD` or `NAME=off`, with commas between them, or `off`. What is left out is as in `others`. */
export function parseRateLimits(value: string, others: RateLimits = NO_RATE_LIMITS): RateLimits {
  if (value.trim() === 'off') return NO_RATE_LIMITS
  const limits = new Map<RateLimitName, RateLimit | undefined>()
  for (const item of value.split(',').map((text) => text.trim())) {
    const [, text, off, count = '', period = ''] = /^([a-z-]+)=(?:(off)|(\d+)\/(\w+))$/.exec(item) ?? []
    const name = RATE_LIMIT_NAMES.find((one) => one === text)
    if (name === undefined || limits.has(name)) {
      throw new Error(
        `has an item that is not a limit, or is there twice: ${item || '(empty)'}. Write such as tokens=3000/1m; the names are ${RATE_LIMIT_NAMES.join(', ')}.`,
      )
    }
    limits.set(
      name,
      off === undefined ? { count: parseCount(count), period: parseDuration(period) } : undefined,
    )
  }
  return { ...others, ...Object.fromEntries(limits) }
}

/** A name or an address, without a port. */
export function parseHost(value: string): string {
  if (isIP(value) !== 0 || /^(?!-)[A-Za-z0-9-]{1,63}(\.(?!-)[A-Za-z0-9-]{1,63})*$/.test(value)) return value
  throw new Error(
    `is neither a host name nor an IP address: ${value}. Write one such as 127.0.0.1; the port is RATAFIA_PORT.`,
  )
}

/** Whether it stands for every address of the machine, which is an address that nobody can reach. */
export const isEveryAddress = (host: string): boolean =>
  host === '0.0.0.0' || (isIP(host) === 6 && /^[0:.]+$/.test(host))

/** A service whose key is trusted: https, or http where nobody is between, on this very machine. */
export function parseIdentityUrl(value: string): string {
  const url = new URL(parseServiceUrl(value))
  if (url.protocol !== 'https:' && !/^(localhost|127\.[0-9.]+|\[::1\])$/.test(url.hostname)) {
    throw new Error(`is not https: ${value}. Only on a loopback address may an identity service do without.`)
  }
  return url.href.replace(/\/+$/, '')
}

export function parsePostgresUrl(value: string): string {
  const [first] = postgresUrls(value) ?? []
  if (first === undefined) {
    // The value may hold a password: it is not repeated.
    throw new Error(
      'is not a PostgreSQL address. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE; in a password, %23 for #, %2F for /.',
    )
  }
  const attributes = new URLSearchParams(value.split('?')[1]).get('target_session_attrs')
  if (attributes !== null && !SESSION_ATTRIBUTES.includes(attributes)) {
    throw new Error(
      `has target_session_attrs that this service cannot use: it writes. It can be ${SESSION_ATTRIBUTES.join(', ')}, and is so without it.`,
    )
  }
  const { searchParams } = new URL(first)
  requireKnownParameters(searchParams)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new Error(`has an sslmode that is not known. It can be ${SSL_MODES.join(', ')}.`)
  }
  if (searchParams.has('uselibpqcompat')) return value
  // What `pg` makes of them today, with a warning that a later version will not check the certificate any more.
  return value.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/, '$1verify-full')
}

/** What `pg` does not know it passes over: with `sslmdoe` there would be no TLS. Of two of a name it takes the last. */
function requireKnownParameters(given: URLSearchParams): void {
  const names = [...given.keys()]
  if (names.some((name) => !PARAMETERS.includes(name))) {
    // The name is not repeated: it may be the rest of a password with a question mark.
    throw new Error(`has a parameter that is not known. It can have ${PARAMETERS.join(', ')}.`)
  }
  if (new Set(names).size < names.length) throw new Error('has a parameter twice.')
}

const PARAMETERS: readonly string[] = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
  ...['target_session_attrs', 'host', 'port', 'user', 'password', 'application_name', 'options'],
]
const SESSION_ATTRIBUTES: readonly string[] = ['read-write', 'primary']
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

/** 32 bytes as base64 (either alphabet) or hex. Throws without repeating the value. */
export function parseSecretKey(value: string): Uint8Array {
  const text = value.trim()
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error('is not a key of 32 bytes in base64 or hex. `openssl rand -base64 32` makes one.')
}

export function parsePublicKey(value: string): Uint8Array {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) {
    throw new Error(
      'is not a public key: 32 bytes in base64, as `/discharge/info` of the identity service shows it.',
    )
  }
  return Buffer.from(value, 'base64')
}

export function parseProxies(value: string): readonly string[] {
  const proxies = value.split(',').map((item) => item.trim())
  for (const proxy of proxies) {
    const [address = '', bits, more] = proxy.split('/')
    const family = isIP(address)
    const sound =
      bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
    if (family === 0 || address.includes('%') || !sound || more !== undefined) {
      throw new Error(
        `has an item that is no address or CIDR block: ${proxy || '(empty)'}. Write such as 10.0.0.0/8, 192.0.2.7.`,
      )
    }
  }
  return proxies
}
