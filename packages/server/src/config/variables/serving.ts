/** The variables of a running service: addresses, limits, logging and metrics. */
import { DEFAULT_RATE_LIMITS, parseRateLimits } from '../rate-limits.ts'
import { optional, row } from '../row.ts'
import {
  oneOf,
  parseContacts,
  parseCount,
  parseDelay,
  parseFilePath,
  parseHost,
  parsePort,
  parseProxies,
  parseServiceUrl,
  parseWorkers,
} from '../values.ts'

/** The default port of `ratafia identity serve`, so that both services can run on one machine. */
export const IDENTITY_PORT = 8081

export const SERVING_VARIABLES = {
  RATAFIA_HOST: row({ default: '127.0.0.1', meaning: 'Address to listen on', parse: parseHost }),
  RATAFIA_PORT: row({
    default: '8080',
    meaning: `Port to listen on (\`identity serve\`: ${IDENTITY_PORT} by default); 0 picks a free port and prints it`,
    parse: parsePort,
  }),
  RATAFIA_BASE_URL: optional({
    default: 'http://HOST:PORT',
    meaning:
      'URL that clients use to reach the service. Macaroons contain its host, so do not change it later. Required if RATAFIA_HOST is every address (0.0.0.0)',
    parse: parseServiceUrl,
  }),
  RATAFIA_TLS_CERT: optional({
    default: 'none: plain HTTP',
    meaning:
      'File with the certificate for https, followed by its chain (PEM). Read again when it changes, and on SIGHUP',
    parse: parseFilePath,
  }),
  RATAFIA_TLS_KEY: optional({
    default: 'none',
    meaning: 'File with its private key (PEM), which other users of the machine must not be able to read',
    parse: parseFilePath,
  }),
  RATAFIA_WORKERS: optional({
    default: 'the number of cores available',
    meaning:
      'Worker processes that share the port; each is replaced if it dies. 1: everything in one process',
    parse: parseWorkers,
  }),
  RATAFIA_MAX_IN_FLIGHT: row({
    default: '1000',
    meaning:
      'How many requests a process handles at a time. Further requests get 503 with Retry-After at once',
    parse: parseCount,
  }),
  RATAFIA_SHUTDOWN_DELAY: row({
    default: '0s',
    meaning:
      'How long `/health/ready` answers 503 after SIGTERM before the port closes, so that load balancers notice',
    parse: parseDelay,
  }),
  RATAFIA_TRUSTED_PROXIES: optional({
    default: 'none',
    meaning:
      'Comma-separated addresses or CIDR blocks of the reverse proxies whose X-Forwarded-For is trusted',
    parse: parseProxies,
  }),
  RATAFIA_RATE_LIMITS: row({
    default: DEFAULT_RATE_LIMITS,
    meaning:
      'Allowed requests per client address, for each class of public endpoint; other classes keep their default. `off`: no limits; `NAME=off`: no limit for that class',
    parse: parseRateLimits,
  }),
  RATAFIA_MAX_CONNECTIONS: row({
    default: '10000',
    meaning: 'How many connections a process keeps open; beyond that, it closes those that were idle longest',
    parse: parseCount,
  }),
  RATAFIA_LOG_LEVEL: row({
    default: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
  RATAFIA_ACCESS_LOG: row({
    default: 'on',
    meaning: '`on`: log each request at level `info`; `off`: at `debug`',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_DOCS: row({
    default: 'on',
    meaning: '`on`: serve the documentation of this release at `/docs/`; `off`: answer 404 there',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_SECURITY_CONTACT: optional({
    default: 'none: 404',
    meaning:
      'Comma-separated e-mail addresses and URLs of your security contacts, served at `/.well-known/security.txt`',
    parse: parseContacts,
  }),
  RATAFIA_METRICS_PORT: optional({
    default: 'none: no metrics',
    meaning: 'Separate port for `/metrics` (Prometheus); 0 picks a free port and logs it',
    parse: parsePort,
  }),
  RATAFIA_METRICS_HOST: row({
    default: '127.0.0.1',
    meaning: 'Address for RATAFIA_METRICS_PORT; anyone who can connect to it can read the metrics',
    parse: parseHost,
  }),
} as const
