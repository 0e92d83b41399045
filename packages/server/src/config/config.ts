/** The only reader of the environment: every variable in one table, checked at start, errors that name it. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { RateLimits } from './rate-limits.ts'
import { readTracing, TRACING_VARIABLES, type TracingConfig } from './tracing.ts'
import {
  DAY,
  isEveryAddress,
  oneOf,
  parseCount,
  parseDelay,
  parseDuration,
  parseHost,
  parseIdentityUrl,
  parsePath,
  parsePort,
  parsePostgresUrl,
  parseProxies,
  parsePublicKey,
  parseRateLimits,
  parseRetention,
  parseSecretKey,
  parseServiceUrl,
  parseServiceUrls,
  parseWorkers,
} from './values.ts'

/** Every variable of the service with its default and meaning: the README's table and `ratafia serve --help`. */
export const VARIABLES = {
  RATAFIA_HOST: ['127.0.0.1', 'Address to listen on'],
  RATAFIA_PORT: ['8080 (8081 for `identity serve`)', 'Port to listen on; 0 takes a free one and prints it'],
  RATAFIA_BASE_URL: [
    'http://HOST:PORT',
    'Address clients reach the service at; names it in macaroons, so keep it; required where RATAFIA_HOST is every address (0.0.0.0)',
  ],
  RATAFIA_WORKERS: [
    'the cores this machine has for it',
    'Worker processes on the one port, each replaced when it dies; 1: everything in one process',
  ],
  RATAFIA_MAX_IN_FLIGHT: [
    '1000',
    'Requests that a process works on at a time; one more is answered 503 with Retry-After at once',
  ],
  RATAFIA_SHUTDOWN_DELAY: [
    '0s',
    'After SIGTERM: how long `/health/ready` says no before the port is closed, so that load balancers notice',
  ],
  RATAFIA_DATA_DIR: ['./data', 'Directory of the embedded database and of the secret key made for it'],
  RATAFIA_DATABASE_URL: [
    'absent: SQLite in the data directory',
    '`postgres://…`: use this PostgreSQL instead; several hosts with commas between them: the one that takes writes',
  ],
  RATAFIA_DATABASE_POOL: [
    '10',
    'Connections to PostgreSQL that a worker process has at most, besides two of its own',
  ],
  RATAFIA_DATABASE_LISTEN_URL: [
    'RATAFIA_DATABASE_URL',
    'Address of the same PostgreSQL for LISTEN, where that URL leads to a PgBouncer',
  ],
  RATAFIA_SECRET_KEY: [
    'absent: made in the data directory (SQLite only)',
    '32 bytes in base64 or hex that seal every key in the database; required with PostgreSQL',
  ],
  RATAFIA_SECRET_KEY_FILE: ['absent', 'File to read the secret key from, instead of RATAFIA_SECRET_KEY'],
  RATAFIA_PREVIOUS_SECRET_KEY: [
    'absent',
    'The secret key until now, while it is changed: opens what it sealed and seals nothing (`ratafia secret rotate`)',
  ],
  RATAFIA_PREVIOUS_SECRET_KEY_FILE: [
    'absent',
    'File to read that from, instead of RATAFIA_PREVIOUS_SECRET_KEY; it may be missing',
  ],
  RATAFIA_IDENTITY_URL: [
    'absent: the bundled one',
    'Location of an external identity service (a bakery discharger)',
  ],
  RATAFIA_IDENTITY_PUBLIC_KEY: [
    'absent: fetched from `/discharge/info`',
    'Public key of the external identity service, base64, to pin it',
  ],
  RATAFIA_IDENTITY_CONDITION: [
    'userid',
    '`userid` or `username`: what the identity service is asked to declare about a person',
  ],
  RATAFIA_ACCOUNTS: [
    'auto',
    '`auto`: whoever an external identity service vouches for gets an account; `known`: only accounts already linked',
  ],
  RATAFIA_TOKEN_LIFETIME: [
    '365d, or RATAFIA_TOKEN_MAX_LIFETIME if that is shorter',
    'Life of a token that does not ask for one: a number and s, m, h or d',
  ],
  RATAFIA_TOKEN_MAX_LIFETIME: ['absent: no cap', 'The longest life a token may ask for'],
  RATAFIA_DEVICE_SESSION_LIFETIME: ['24h', 'Life of a device session; snapd then refreshes it by itself'],
  RATAFIA_UNKNOWN_SESSIONS: [
    'refuse',
    '`refuse` or `ignore`: what becomes of a refresh whose previous session this service did not issue; `ignore` after the keys were lost',
  ],
  RATAFIA_DEVICE_SERVICE_PATH: [
    '/v1',
    'Where `request-id` and `serial` are for a gadget whose `device-service.url` is the base URL with this path',
  ],
  RATAFIA_DEVICE_SERVICE_URLS: [
    'absent: none',
    'Comma-separated addresses of other device services to which registrations may be forwarded (`X-Snap-Device-Service-URL`)',
  ],
  RATAFIA_RETENTION_TOKEN_SESSIONS: [
    '90d',
    'How long a token session is kept after its end, revoked or not: at least 1h, like the others',
  ],
  RATAFIA_RETENTION_DEVICE_SESSIONS: ['30d', 'How long a device session is kept after it expired'],
  RATAFIA_RETENTION_REGISTRATIONS: [
    '90d',
    'How long is kept from where a device registered, after it was decided about',
  ],
  RATAFIA_RETENTION_CLONE_EVIDENCE: [
    '365d',
    'How long evidence of clones is kept after it was seen last; not shorter than RATAFIA_RETENTION_DEVICE_SESSIONS',
  ],
  RATAFIA_RETENTION_AUDIT: ['absent: for good', 'How long entries of the audit log are kept'],
  RATAFIA_SIGNING_QUEUE: [
    '256',
    'How many serials may wait for their signature; one more is answered 503 at once',
  ],
  RATAFIA_TRUSTED_PROXIES: [
    'absent: none',
    'Comma-separated addresses or CIDR blocks of the reverse proxies whose X-Forwarded-For is believed',
  ],
  RATAFIA_RATE_LIMITS: [
    'tokens=3000/1m, nonces=6000/1m, sessions=6000/1m, devices=3000/1m, assertions=6000/1m, discharge=3000/1m, pages=1200/1m, wait-token=1200/1m',
    'Requests that an address may send, for each class of what anyone may call; those left out keep their default. `off`: no limits; `NAME=off`: none for a class',
  ],
  RATAFIA_MAX_CONNECTIONS: [
    '10000',
    'Connections that a process keeps; one more, and the one that has been without a request for longest is cut',
  ],
  RATAFIA_LOG_LEVEL: ['info', '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'],
  RATAFIA_ACCESS_LOG: ['on', '`on`: a line for each request at the level `info`; `off`: at `debug`'],
  RATAFIA_METRICS_PORT: [
    'absent: no metrics',
    'Port of its own for `/metrics` (Prometheus); 0 takes a free one and logs it',
  ],
  RATAFIA_METRICS_HOST: [
    '127.0.0.1',
    'Address for RATAFIA_METRICS_PORT; whoever reaches it reads the metrics',
  ],
  ...TRACING_VARIABLES,
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>

const DEFAULT_RATES = parseRateLimits(VARIABLES.RATAFIA_RATE_LIMITS[0])

export type VariableName = keyof typeof VARIABLES
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process: the default of whoever starts the program. */
export const processEnvironment = (): Environment => process.env

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** For LISTEN; absent = `url`. */
      readonly listenUrl?: string
      /** Milliseconds; the environment sets the first alone. */
      readonly limits?: {
        readonly maxConnections?: number
        readonly connectMs?: number
        readonly answerMs?: number
      }
    }

/** Where the secret key comes from; `start/` reads or makes the file. */
export type SecretConfig =
  | { readonly from: 'variable'; readonly key: Uint8Array }
  | {
      readonly from: 'file'
      readonly file: string
      /** The database whose keys it seals: the file is made while that is not there. Undefined: never made. */
      readonly makeBefore: string | undefined
    }

/** The secret key until now; a file may be missing, when nothing is being changed. */
export type PreviousSecretConfig =
  | { readonly from: 'variable'; readonly key: Uint8Array }
  | { readonly from: 'file'; readonly file: string }

/** How long rows are kept when nothing needs them any more, in milliseconds. */
export interface RetentionConfig {
  readonly tokenSessions: number
  readonly deviceSessions: number
  readonly registrations: number
  readonly cloneEvidence: number
  /** Undefined = for good. */
  readonly audit: number | undefined
}

export interface Config {
  readonly host: string
  readonly port: number
  /** Without a trailing slash; undefined = from the address listened on. */
  readonly baseUrl: string | undefined
  readonly workers: number
  readonly maxInFlight: number
  /** Milliseconds. */
  readonly shutdownDelay: number
  readonly dataDirectory: string
  readonly database: DatabaseConfig
  readonly secret: SecretConfig
  readonly previousSecret: PreviousSecretConfig | undefined
  /** Undefined = the bundled identity service. */
  readonly identity: { readonly url: string; readonly publicKey: Uint8Array | undefined } | undefined
  readonly identityCondition: 'userid' | 'username'
  readonly accounts: 'auto' | 'known'
  /** Milliseconds. */
  readonly tokenLifetime: number
  /** Milliseconds; undefined = no cap. */
  readonly tokenMaxLifetime: number | undefined
  /** Milliseconds. */
  readonly deviceSessionLifetime: number
  readonly unknownSessions: 'refuse' | 'ignore'
  /** Begins with a slash and does not end with one. */
  readonly deviceServicePath: string
  /** Each ends with a slash. */
  readonly deviceServiceUrls: readonly string[]
  readonly signingQueue: number
  readonly retention: RetentionConfig
  readonly trustedProxies: readonly string[]
  readonly rateLimits: RateLimits
  readonly maxConnections: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** Who called this program by sudo; undefined without it. */
  readonly sudoUser: string | undefined
  readonly accessLog: boolean
  /** Undefined = none. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Undefined = no traces. */
  readonly tracing: TracingConfig | undefined
}

/** One or more variables do not hold; the message has a line for each, beginning with its name. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration. Throws {@link ConfigError} that names every variable that does not hold.
 * An empty variable counts as absent; an unknown `RATAFIA_…` is refused, because it is a misspelling.
 */
export function readConfig(environment: Environment, defaults: { port: number } = { port: 8080 }): Config {
  const problems = unknownVariables(environment)
  const text = (name: VariableName) => environment[name] || undefined
  const read = <T>(name: VariableName, parse: (value: string) => T): T | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    try {
      return parse(value)
    } catch (error) {
      // Only our own parsers run here, and none of them puts a secret in its message.
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }

  const dataDirectory = resolve(text('RATAFIA_DATA_DIR') ?? 'data')
  const url = read('RATAFIA_DATABASE_URL', parsePostgresUrl)
  const listenUrl = read('RATAFIA_DATABASE_LISTEN_URL', parsePostgresUrl)
  const maxConnections = read('RATAFIA_DATABASE_POOL', parseCount) ?? 10
  for (const name of ['RATAFIA_DATABASE_LISTEN_URL', 'RATAFIA_DATABASE_POOL'] as const) {
    if (text(name) !== undefined && text('RATAFIA_DATABASE_URL') === undefined) {
      problems.push(`${name} is set without RATAFIA_DATABASE_URL. Set both or neither.`)
    }
  }
  const key = read('RATAFIA_SECRET_KEY', parseSecretKey)
  const keyFile = text('RATAFIA_SECRET_KEY_FILE')
  if (text('RATAFIA_SECRET_KEY') !== undefined && keyFile !== undefined) {
    problems.push('RATAFIA_SECRET_KEY and RATAFIA_SECRET_KEY_FILE are both set. Keep one of them.')
  }
  if (
    text('RATAFIA_DATABASE_URL') !== undefined &&
    text('RATAFIA_SECRET_KEY') === undefined &&
    keyFile === undefined
  ) {
    problems.push(
      'RATAFIA_SECRET_KEY (or RATAFIA_SECRET_KEY_FILE) is required with PostgreSQL: every node needs the same one. `openssl rand -base64 32` makes one.',
    )
  }
  const previousKey = read('RATAFIA_PREVIOUS_SECRET_KEY', parseSecretKey)
  const previousFile = text('RATAFIA_PREVIOUS_SECRET_KEY_FILE')
  if (text('RATAFIA_PREVIOUS_SECRET_KEY') !== undefined && previousFile !== undefined) {
    problems.push(
      'RATAFIA_PREVIOUS_SECRET_KEY and RATAFIA_PREVIOUS_SECRET_KEY_FILE are both set. Keep one of them.',
    )
  }
  const madeHere = key === undefined && keyFile === undefined
  const identityUrl = read('RATAFIA_IDENTITY_URL', parseIdentityUrl)
  const identityKey = read('RATAFIA_IDENTITY_PUBLIC_KEY', parsePublicKey)
  if (identityKey !== undefined && text('RATAFIA_IDENTITY_URL') === undefined) {
    problems.push('RATAFIA_IDENTITY_PUBLIC_KEY is set without RATAFIA_IDENTITY_URL. Set both or neither.')
  }
  const host = read('RATAFIA_HOST', parseHost) ?? '127.0.0.1'
  const port = read('RATAFIA_PORT', parsePort)
  if (isEveryAddress(host) && text('RATAFIA_BASE_URL') === undefined) {
    problems.push(
      `RATAFIA_BASE_URL is required when RATAFIA_HOST is ${host}: nobody can reach that address. Set the one clients use.`,
    )
  }
  const metricsPort = read('RATAFIA_METRICS_PORT', parsePort)
  if (text('RATAFIA_METRICS_HOST') !== undefined && text('RATAFIA_METRICS_PORT') === undefined) {
    problems.push('RATAFIA_METRICS_HOST is set without RATAFIA_METRICS_PORT. Set both or neither.')
  }
  if (metricsPort !== undefined && metricsPort > 0 && metricsPort === (port ?? defaults.port)) {
    problems.push('RATAFIA_METRICS_PORT is the port of the service. Metrics have one of their own.')
  }
  const databaseFile = resolve(dataDirectory, 'ratafia.db')
  const tokenMaxLifetime = read('RATAFIA_TOKEN_MAX_LIFETIME', parseDuration)
  const retention: RetentionConfig = {
    tokenSessions: read('RATAFIA_RETENTION_TOKEN_SESSIONS', parseRetention) ?? 90 * DAY,
    deviceSessions: read('RATAFIA_RETENTION_DEVICE_SESSIONS', parseRetention) ?? 30 * DAY,
    registrations: read('RATAFIA_RETENTION_REGISTRATIONS', parseRetention) ?? 90 * DAY,
    cloneEvidence: read('RATAFIA_RETENTION_CLONE_EVIDENCE', parseRetention) ?? 365 * DAY,
    audit: read('RATAFIA_RETENTION_AUDIT', parseRetention),
  }
  if (retention.cloneEvidence < retention.deviceSessions) {
    problems.push(
      'RATAFIA_RETENTION_CLONE_EVIDENCE is shorter than RATAFIA_RETENTION_DEVICE_SESSIONS: what was decided about old sessions would be forgotten before them. Raise it.',
    )
  }
  const config: Config = {
    host,
    port: port ?? defaults.port,
    baseUrl: read('RATAFIA_BASE_URL', parseServiceUrl),
    workers: read('RATAFIA_WORKERS', parseWorkers) ?? availableParallelism(),
    maxInFlight: read('RATAFIA_MAX_IN_FLIGHT', parseCount) ?? 1000,
    shutdownDelay: read('RATAFIA_SHUTDOWN_DELAY', parseDelay) ?? 0,
    dataDirectory,
    database:
      url === undefined
        ? { kind: 'sqlite', file: databaseFile }
        : { kind: 'postgres', url, listenUrl: listenUrl ?? url, limits: { maxConnections } },
    secret:
      key !== undefined
        ? { from: 'variable', key }
        : {
            from: 'file',
            file: resolve(keyFile ?? resolve(dataDirectory, 'secret.key')),
            makeBefore: keyFile === undefined ? databaseFile : undefined,
          },
    previousSecret:
      previousKey !== undefined
        ? { from: 'variable', key: previousKey }
        : previousFile !== undefined || madeHere
          ? { from: 'file', file: resolve(previousFile ?? resolve(dataDirectory, 'secret.key.previous')) }
          : undefined,
    identity: identityUrl === undefined ? undefined : { url: identityUrl, publicKey: identityKey },
    identityCondition: read('RATAFIA_IDENTITY_CONDITION', oneOf('userid', 'username')) ?? 'userid',
    accounts: read('RATAFIA_ACCOUNTS', oneOf('auto', 'known')) ?? 'auto',
    tokenLifetime:
      read('RATAFIA_TOKEN_LIFETIME', parseDuration) ?? Math.min(365 * DAY, tokenMaxLifetime ?? Infinity),
    tokenMaxLifetime,
    deviceSessionLifetime: read('RATAFIA_DEVICE_SESSION_LIFETIME', parseDuration) ?? DAY,
    unknownSessions: read('RATAFIA_UNKNOWN_SESSIONS', oneOf('refuse', 'ignore')) ?? 'refuse',
    deviceServicePath: read('RATAFIA_DEVICE_SERVICE_PATH', parsePath) ?? '/v1',
    deviceServiceUrls: read('RATAFIA_DEVICE_SERVICE_URLS', parseServiceUrls) ?? [],
    signingQueue: read('RATAFIA_SIGNING_QUEUE', parseCount) ?? 256,
    retention,
    trustedProxies: read('RATAFIA_TRUSTED_PROXIES', parseProxies) ?? [],
    rateLimits:
      read('RATAFIA_RATE_LIMITS', (value) => parseRateLimits(value, DEFAULT_RATES)) ?? DEFAULT_RATES,
    maxConnections: read('RATAFIA_MAX_CONNECTIONS', parseCount) ?? 10_000,
    logLevel: read('RATAFIA_LOG_LEVEL', oneOf(...LOG_LEVELS)) ?? 'info',
    sudoUser: environment['SUDO_USER']?.replace(/[^ -~]/g, '?').slice(0, 64) || undefined,
    accessLog: (read('RATAFIA_ACCESS_LOG', oneOf('on', 'off')) ?? 'on') === 'on',
    metrics:
      metricsPort === undefined
        ? undefined
        : { host: read('RATAFIA_METRICS_HOST', parseHost) ?? '127.0.0.1', port: metricsPort },
    tracing: readTracing(text, (name, problem) => problems.push(`${name} ${problem}`)),
  }
  if (tokenMaxLifetime !== undefined && tokenMaxLifetime < config.tokenLifetime) {
    problems.push(
      'RATAFIA_TOKEN_MAX_LIFETIME is shorter than RATAFIA_TOKEN_LIFETIME, the life given by default. Lower that too.',
    )
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

/** A misspelt name would be a setting that silently does not hold, such as a cap on the life of tokens. */
function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith('RATAFIA_') && !name.startsWith('RATAFIA_TEST_') && !(name in VARIABLES),
    )
    .map((name) =>
      /^RATAFIA_(SERVICE_(HOST|PORT)|PORT_\d+_)/.test(name)
        ? `${name} is set by Kubernetes for a Service of this name. Give the pod enableServiceLinks: false.`
        : `${name} is not a variable of this service. See \`ratafia serve --help\` for those it has.`,
    )
}
