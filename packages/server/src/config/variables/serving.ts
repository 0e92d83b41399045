/** The variables of a running service: where it listens, how much it takes, what it logs and measures. */
import { DEFAULT_RATE_LIMITS, parseRateLimits } from '../rate-limits.ts'
import { optional, row } from '../row.ts'
import {
  oneOf,
  parseCount,
  parseDelay,
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
    meaning: `Port to listen on (\`identity serve\`: ${IDENTITY_PORT} by default); 0 picks a free one and prints it`,
    parse: parsePort,
  }),
  RATAFIA_BASE_URL: optional({
    default: 'http://HOST:PORT',
    meaning:
      'Address at which clients reach the service. Macaroons carry its host, so do not change it later. Required if RATAFIA_HOST is every address (0.0.0.0)',
    parse: parseServiceUrl,
  }),
  RATAFIA_WORKERS: optional({
    default: 'the number of cores available',
    meaning: 'Worker processes sharing the port, each replaced if it dies; 1: everything in one process',
    parse: parseWorkers,
  }),
  RATAFIA_MAX_IN_FLIGHT: row({
    default: '1000',
    meaning: 'Requests a process works on at a time; any more get 503 with Retry-After at once',
    parse: parseCount,
  }),
  RATAFIA_SHUTDOWN_DELAY: row({
    default: '0s',
    meaning:
      'After SIGTERM, how long `/health/ready` answers 503 before the port closes, so that load balancers notice',
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
      'Requests allowed per client address, for each class of public endpoint; classes left out keep their default. `off`: no limits; `NAME=off`: none for that class',
    parse: parseRateLimits,
  }),
  RATAFIA_MAX_CONNECTIONS: row({
    default: '10000',
    meaning: 'Connections a process keeps open; beyond that it cuts those idle longest',
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
  RATAFIA_METRICS_PORT: optional({
    default: 'none: no metrics',
    meaning: 'Separate port for `/metrics` (Prometheus); 0 picks a free one and logs it',
    parse: parsePort,
  }),
  RATAFIA_METRICS_HOST: row({
    default: '127.0.0.1',
    meaning: 'Address for RATAFIA_METRICS_PORT; anyone who reaches it can read the metrics',
    parse: parseHost,
  }),
} as const
