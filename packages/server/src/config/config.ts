/** Reads every environment variable once, at start, and reports all problems together. Nothing else reads them. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { contradictions, unknownVariables } from './checks.ts'
import { reminderConfigOf } from './reminders/reminder-config.ts'
import { type Environment, readRow, readRows, textOf, type ValuesOf, type VariableRow } from './row.ts'
import { previousSecretOf, secretOf } from './secrets/sources.ts'
import { readTracing, type TracingConfig } from './tracing.ts'
import { SERVICE_VARIABLES } from './variables.ts'

export type { Environment } from './row.ts'

/** Returns the environment of this process, for the program's start. */
export const processEnvironment = (): Environment => process.env

export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** The URL for LISTEN. Default: `url`. */
      readonly listenUrl?: string
      /** Times in milliseconds. Variables set only the first limit. */
      readonly limits?: {
        readonly maxConnections?: number
        readonly connectMs?: number
        readonly answerMs?: number
      }
    }

/** The configuration from the variables. Each field has the type that its row's parser returns. */
export type Config = Readonly<ReturnType<typeof configOf>>

/** Returns the URL that clients use to reach the service, as far as the variables show. */
export const serviceAddress = ({ baseUrl, ...socket }: Config): string => baseUrl ?? socketUrl(socket)

/** Returns the URL of a socket, without a trailing slash. */
export const socketUrl = ({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>): string =>
  `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The files of the certificate and its key. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** Thrown for invalid or missing variables. The message has a line for each, beginning with its name. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads one variable, as a command does. Throws {@link ConfigError} for an invalid value. */
export function readVariable<T>(name: string, row: VariableRow<T>, environment: Environment): T {
  const problems: string[] = []
  const value = readRow(name, row, environment, problems)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return value
}

/**
 * Reads the configuration. Throws {@link ConfigError} that names every invalid variable.
 * An empty variable counts as absent; an unknown `RATAFIA_…` is refused as a misspelling.
 */
export function readConfig(environment: Environment, defaultPort?: number): Config {
  const problems = unknownVariables(environment)
  const read = readRows(SERVICE_VARIABLES, environment, problems)
  const values =
    defaultPort === undefined || textOf(environment, 'RATAFIA_PORT') !== undefined
      ? read
      : { ...read, RATAFIA_PORT: defaultPort }
  const tracing = readTracing(environment, problems)
  problems.push(...contradictions(environment, values, problems))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return configOf(values, environment, tracing)
}

function configOf(
  values: ValuesOf<typeof SERVICE_VARIABLES>,
  environment: Environment,
  tracing: TracingConfig | undefined,
) {
  const databaseFile = resolve(values.RATAFIA_DATA_DIR, 'ratafia.db')
  const {
    RATAFIA_DATABASE_URL: url = values.RATAFIA_DATABASE_URL_FILE,
    RATAFIA_IDENTITY_URL: identityUrl,
    RATAFIA_METRICS_PORT: metricsPort,
    RATAFIA_TLS_CERT: cert,
    RATAFIA_TLS_KEY: key,
  } = values
  const database: DatabaseConfig =
    url === undefined
      ? { kind: 'sqlite', file: databaseFile }
      : {
          kind: 'postgres',
          url,
          listenUrl: values.RATAFIA_DATABASE_LISTEN_URL ?? url,
          limits: { maxConnections: values.RATAFIA_DATABASE_POOL },
        }
  return {
    host: values.RATAFIA_HOST,
    port: values.RATAFIA_PORT,
    /** The service's URL without a trailing slash. The default is derived from the address it listens on. */
    baseUrl: values.RATAFIA_BASE_URL,
    /** The files for https; undefined for plain HTTP. */
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    workers: values.RATAFIA_WORKERS ?? availableParallelism(),
    maxInFlight: values.RATAFIA_MAX_IN_FLIGHT,
    /** The shutdown delay in milliseconds. */
    shutdownDelay: values.RATAFIA_SHUTDOWN_DELAY,
    dataDirectory: values.RATAFIA_DATA_DIR,
    database,
    secret: secretOf(values, databaseFile),
    previousSecret: previousSecretOf(values),
    /** The external identity service; undefined for the bundled one. */
    identity:
      identityUrl === undefined
        ? undefined
        : { url: identityUrl, publicKey: values.RATAFIA_IDENTITY_PUBLIC_KEY },
    identityCondition: values.RATAFIA_IDENTITY_CONDITION,
    knownServices: values.RATAFIA_KNOWN_SERVICES ?? [],
    /** The web sites that the identity service sends browsers back to with a code. */
    returnTo: values.RATAFIA_IDENTITY_RETURN_TO ?? [],
    accounts: values.RATAFIA_ACCOUNTS,
    passwordLogins: values.RATAFIA_PASSWORD_LOGINS === 'on',
    /** Default: the host of the identity service. */
    loginHost: values.RATAFIA_LOGIN_HOST,
    /** The lifetime of discharges in milliseconds. */
    dischargeLifetime: values.RATAFIA_DISCHARGE_LIFETIME,
    developerAccount: values.RATAFIA_DEVELOPER_ACCOUNT === 'on',
    /** The default lifetime of tokens in milliseconds. */
    tokenLifetime: tokenLifetime(values),
    /** The maximum lifetime of tokens in milliseconds; undefined if there is no limit. */
    tokenMaxLifetime: values.RATAFIA_TOKEN_MAX_LIFETIME,
    /** May contain a password. Undefined if there is no proxy. */
    issuerProxy: values.RATAFIA_ISSUER_PROXY,
    /** The longest lifetime of a job's token, in milliseconds. */
    jobMaxLifetime: values.RATAFIA_CI_MAX_LIFETIME,
    /** The lifetime of device sessions in milliseconds. */
    deviceSessionLifetime: values.RATAFIA_DEVICE_SESSION_LIFETIME,
    unknownSessions: values.RATAFIA_UNKNOWN_SESSIONS,
    /** Begins with a slash and does not end with one. */
    deviceServicePath: values.RATAFIA_DEVICE_SERVICE_PATH,
    /** Each ends with a slash. */
    deviceServiceUrls: values.RATAFIA_DEVICE_SERVICE_URLS ?? [],
    /** Names in lower case, in addition to the headers that are always forwarded. */
    deviceServiceHeaders: values.RATAFIA_DEVICE_SERVICE_HEADERS ?? [],
    signingQueue: values.RATAFIA_SIGNING_QUEUE,
    mostWaitingDevices: values.RATAFIA_MAX_WAITING_DEVICES,
    /** How long rows are kept after they are not needed any more, in milliseconds. */
    retention: {
      tokenSessions: values.RATAFIA_RETENTION_TOKEN_SESSIONS,
      deviceSessions: values.RATAFIA_RETENTION_DEVICE_SESSIONS,
      registrations: values.RATAFIA_RETENTION_REGISTRATIONS,
      waitingDevices: values.RATAFIA_RETENTION_WAITING_DEVICES,
      cloneEvidence: values.RATAFIA_RETENTION_CLONE_EVIDENCE,
      jobs: values.RATAFIA_RETENTION_JOBS,
      counters: values.RATAFIA_RETENTION_COUNTERS,
      /** How long audit log entries are kept; undefined to keep them forever. */
      audit: values.RATAFIA_RETENTION_AUDIT,
    },
    management: {
      enabled: values.RATAFIA_MANAGEMENT === 'on',
      /** Addresses and CIDR blocks; undefined to allow any. */
      from: values.RATAFIA_MANAGEMENT_FROM,
      /** The default lifetime of management tokens in milliseconds. */
      lifetime: values.RATAFIA_MANAGEMENT_LIFETIME,
      console: values.RATAFIA_CONSOLE === 'on',
      /** Default: the host of the base URL. */
      name: values.RATAFIA_NAME,
    },
    setup: {
      enabled: values.RATAFIA_SETUP === 'on',
      /** Whether `serve` prints a setup link even where its output is not a terminal. */
      alwaysPrints: values.RATAFIA_SETUP_LINK === 'print',
    },
    /** Each is undefined if it is not configured. */
    reminders: reminderConfigOf(values),
    trustedProxies: values.RATAFIA_TRUSTED_PROXIES ?? [],
    rateLimits: values.RATAFIA_RATE_LIMITS,
    maxConnections: values.RATAFIA_MAX_CONNECTIONS,
    logLevel: values.RATAFIA_LOG_LEVEL,
    /** The user who ran this program with sudo; undefined without sudo. */
    sudoUser: textOf(environment, 'SUDO_USER')
      ?.replace(/[^ -~]/g, '?')
      .slice(0, 64),
    accessLog: values.RATAFIA_ACCESS_LOG === 'on',
    /** Whether the service serves its documentation. */
    docs: values.RATAFIA_DOCS === 'on',
    securityContacts: values.RATAFIA_SECURITY_CONTACT ?? [],
    /** The address that serves metrics; undefined if there are no metrics. */
    metrics: metricsPort === undefined ? undefined : { host: values.RATAFIA_METRICS_HOST, port: metricsPort },
    /** The settings for traces; undefined if there are no traces. */
    tracing,
  }
}

/** The limit also lowers the default. If both are set, `checks.ts` refuses a contradiction. */
const tokenLifetime = (values: ValuesOf<typeof SERVICE_VARIABLES>): number =>
  Math.min(values.RATAFIA_TOKEN_LIFETIME, values.RATAFIA_TOKEN_MAX_LIFETIME ?? Infinity)
