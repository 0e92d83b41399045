import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { ConfigError, type Environment, readConfig } from './config.ts'
import { VARIABLES, type VariableName } from './variables.ts'

const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => 248 + index))
const DAY = 86_400_000

/** Returns the lines of the refusal. */
function problems(environment: Environment): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.message.split('\n')
  }
  return assert.fail(`accepted: ${JSON.stringify(environment)}`)
}

const a = (count: number) => ({ count, period: 60_000 })
const DEFAULT_RATES = {
  tokens: a(3000),
  nonces: a(6000),
  sessions: a(6000),
  devices: a(1200),
  assertions: a(6000),
  discharge: a(3000),
  pages: a(1200),
  'wait-token': a(1200),
  verify: a(60_000),
  refused: a(600),
  oidc: a(30),
  management: a(3_000),
  'management-account': a(600),
}

test('uses the defaults without any variable', () => {
  assert.deepEqual(readConfig({ PATH: '/bin', HOME: '/root' }), {
    host: '127.0.0.1',
    port: 8080,
    baseUrl: undefined,
    tls: undefined,
    workers: availableParallelism(),
    maxInFlight: 1000,
    shutdownDelay: 0,
    dataDirectory: resolve('data'),
    database: { kind: 'sqlite', file: resolve('data/ratafia.db') },
    secret: { from: 'file', file: resolve('data/secret.key'), makeBefore: resolve('data/ratafia.db') },
    previousSecret: { from: 'file', file: resolve('data/secret.key.previous') },
    identity: undefined,
    identityCondition: 'userid',
    knownServices: [],
    returnTo: [],
    accounts: 'auto',
    passwordLogins: true,
    loginHost: undefined,
    dischargeLifetime: DAY,
    developerAccount: true,
    tokenLifetime: 365 * DAY,
    tokenMaxLifetime: undefined,
    jobMaxLifetime: 3_600_000,
    issuerProxy: undefined,
    deviceSessionLifetime: DAY,
    unknownSessions: 'refuse',
    deviceServicePath: '/v1',
    deviceServiceUrls: [],
    deviceServiceHeaders: [],
    signingQueue: 256,
    mostWaitingDevices: 500,
    retention: {
      tokenSessions: 90 * DAY,
      deviceSessions: 30 * DAY,
      registrations: 90 * DAY,
      waitingDevices: 14 * DAY,
      cloneEvidence: 365 * DAY,
      jobs: 30 * DAY,
      counters: 400 * DAY,
      audit: undefined,
    },
    management: {
      ...{ enabled: true, from: undefined, lifetime: 8 * 3_600_000 },
      ...{ console: true, name: undefined },
    },
    setup: { enabled: true, alwaysPrints: false },
    reminders: { mail: undefined, webhook: undefined },
    trustedProxies: [],
    rateLimits: DEFAULT_RATES,
    maxConnections: 10_000,
    logLevel: 'info',
    sudoUser: undefined,
    accessLog: true,
    docs: true,
    securityContacts: [],
    metrics: undefined,
    tracing: undefined,
  })
})

const WHOLE = {
  RATAFIA_HOST: '::1',
  RATAFIA_PORT: '0',
  RATAFIA_BASE_URL: 'https://store.example.com/',
  RATAFIA_TLS_CERT: '/etc/ratafia/cert.pem',
  RATAFIA_TLS_KEY: '/etc/ratafia/key.pem',
  RATAFIA_WORKERS: '16',
  RATAFIA_MAX_IN_FLIGHT: '200',
  RATAFIA_SHUTDOWN_DELAY: '10s',
  RATAFIA_DATA_DIR: '/srv/ratafia',
  RATAFIA_DATABASE_URL: 'postgres://user:secret@db:5432/ratafia',
  RATAFIA_DATABASE_URL_FILE: '',
  RATAFIA_DATABASE_POOL: '25',
  RATAFIA_DATABASE_LISTEN_URL: 'postgres://user:secret@db:5433/ratafia?sslmode=require',
  RATAFIA_SECRET_KEY: KEY.toString('base64'),
  RATAFIA_SECRET_KEY_FILE: '',
  RATAFIA_PREVIOUS_SECRET_KEY: Buffer.alloc(32, 2).toString('hex'),
  RATAFIA_PREVIOUS_SECRET_KEY_FILE: '',
  RATAFIA_IDENTITY_URL: 'https://id.example.com/candid/',
  RATAFIA_IDENTITY_PUBLIC_KEY: KEY.toString('base64'),
  RATAFIA_IDENTITY_CONDITION: 'username',
  RATAFIA_KNOWN_SERVICES: `https://a.example.com/=${KEY.toString('base64')}, https://b.example.com=${KEY.toString('base64url')}`,
  RATAFIA_IDENTITY_RETURN_TO: 'https://APP.example.com/callback, http://127.0.0.1:8000/login/',
  RATAFIA_ACCOUNTS: 'known',
  RATAFIA_PASSWORD_LOGINS: 'off',
  RATAFIA_LOGIN_HOST: 'Login.example.com:8443',
  RATAFIA_DISCHARGE_LIFETIME: '1h',
  RATAFIA_DEVELOPER_ACCOUNT: 'off',
  RATAFIA_TOKEN_LIFETIME: '12h',
  RATAFIA_TOKEN_MAX_LIFETIME: '30d',
  RATAFIA_ISSUER_PROXY: 'http://user:secret@proxy.example.com:3128',
  RATAFIA_CI_MAX_LIFETIME: '30m',
  RATAFIA_DEVICE_SESSION_LIFETIME: '7d',
  RATAFIA_UNKNOWN_SESSIONS: 'ignore',
  RATAFIA_DEVICE_SERVICE_PATH: '/serial/vault/',
  RATAFIA_DEVICE_SERVICE_URLS: 'https://a.example.com, http://b.example.com/v1/',
  RATAFIA_DEVICE_SERVICE_HEADERS: 'X-Factory, x-line',
  RATAFIA_SMTP_URL: 'smtps://ratafia:a%2Fb%40c@mail.example.com',
  RATAFIA_SMTP_URL_FILE: '',
  RATAFIA_MAIL_FROM: 'Store <store@example.com>',
  RATAFIA_WEBHOOK_URL: 'https://hooks.example.com/ratafia?from=store',
  RATAFIA_WEBHOOK_SECRET: '0123456789abcdef0123456789abcdef',
  RATAFIA_WEBHOOK_SECRET_FILE: '',
  RATAFIA_WEBHOOK_PRIVATE_ADDRESSES: '10.20.0.0/16, fd00::/8',
  RATAFIA_RETENTION_TOKEN_SESSIONS: '1h',
  RATAFIA_RETENTION_DEVICE_SESSIONS: '2d',
  RATAFIA_RETENTION_REGISTRATIONS: '3d',
  RATAFIA_RETENTION_CLONE_EVIDENCE: '4d',
  RATAFIA_RETENTION_WAITING_DEVICES: '6d',
  RATAFIA_RETENTION_JOBS: '7d',
  RATAFIA_RETENTION_COUNTERS: '8d',
  RATAFIA_RETENTION_AUDIT: '5d',
  RATAFIA_SIGNING_QUEUE: '8',
  RATAFIA_MAX_WAITING_DEVICES: '50',
  RATAFIA_MANAGEMENT: 'off',
  RATAFIA_MANAGEMENT_FROM: '192.0.2.0/24,2001:db8::/32',
  RATAFIA_MANAGEMENT_LIFETIME: '2h',
  RATAFIA_CONSOLE: 'off',
  RATAFIA_SETUP: 'off',
  RATAFIA_SETUP_LINK: 'print',
  RATAFIA_NAME: 'Acme Störe',
  RATAFIA_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
  RATAFIA_RATE_LIMITS: 'tokens=10/1s, wait-token=off,devices=100000/1h',
  RATAFIA_MAX_CONNECTIONS: '500',
  RATAFIA_LOG_LEVEL: 'debug',
  RATAFIA_ACCESS_LOG: 'off',
  RATAFIA_DOCS: 'off',
  RATAFIA_SECURITY_CONTACT: 'security@example.com, https://example.com/report',
  RATAFIA_METRICS_PORT: '9464',
  RATAFIA_METRICS_HOST: '::',
  RATAFIA_URL: 'https://store.example.com/auth/',
  RATAFIA_AGENT_FILE: '/run/secrets/agent.json',
  RATAFIA_TOKEN_FILE: '/run/secrets/token',
  RATAFIA_ID_TOKEN: 'eyJh.eyJp.c2ln',
  RATAFIA_ID_TOKEN_FILE: '/run/secrets/id-token',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/otlp/',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x=1,b=2',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=3',
  OTEL_SERVICE_NAME: 'store-auth',
  OTEL_RESOURCE_ATTRIBUTES: 'service.name=other, deployment.environment=test',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.25',
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_SDK_DISABLED: 'false',
} as const satisfies Record<VariableName, string>

test('reads every variable', () => {
  assert.deepEqual(readConfig(WHOLE), {
    host: '::1',
    port: 0,
    baseUrl: 'https://store.example.com',
    tls: { cert: '/etc/ratafia/cert.pem', key: '/etc/ratafia/key.pem' },
    workers: 16,
    maxInFlight: 200,
    shutdownDelay: 10_000,
    dataDirectory: '/srv/ratafia',
    database: {
      kind: 'postgres',
      url: WHOLE.RATAFIA_DATABASE_URL,
      listenUrl: 'postgres://user:secret@db:5433/ratafia?sslmode=verify-full',
      limits: { maxConnections: 25 },
    },
    secret: { from: 'variable', key: KEY },
    previousSecret: { from: 'variable', key: Buffer.alloc(32, 2) },
    identity: { url: 'https://id.example.com/candid', publicKey: KEY },
    identityCondition: 'username',
    knownServices: [
      { url: 'https://a.example.com', publicKey: KEY },
      { url: 'https://b.example.com', publicKey: KEY },
    ],
    returnTo: ['https://app.example.com/callback', 'http://127.0.0.1:8000/login/'],
    accounts: 'known',
    passwordLogins: false,
    loginHost: 'Login.example.com:8443',
    dischargeLifetime: 3_600_000,
    developerAccount: false,
    tokenLifetime: 12 * 3_600_000,
    tokenMaxLifetime: 30 * DAY,
    jobMaxLifetime: 1_800_000,
    issuerProxy: 'http://user:secret@proxy.example.com:3128/',
    deviceSessionLifetime: 7 * DAY,
    unknownSessions: 'ignore',
    deviceServicePath: '/serial/vault',
    deviceServiceUrls: ['https://a.example.com/', 'http://b.example.com/v1/'],
    deviceServiceHeaders: ['x-factory', 'x-line'],
    signingQueue: 8,
    mostWaitingDevices: 50,
    retention: {
      tokenSessions: 3_600_000,
      deviceSessions: 2 * DAY,
      registrations: 3 * DAY,
      waitingDevices: 6 * DAY,
      cloneEvidence: 4 * DAY,
      jobs: 7 * DAY,
      counters: 691_200_000,
      audit: 5 * DAY,
    },
    management: {
      ...{ enabled: false, from: ['192.0.2.0/24', '2001:db8::/32'], lifetime: 2 * 3_600_000 },
      ...{ console: false, name: 'Acme Störe' },
    },
    setup: { enabled: false, alwaysPrints: true },
    reminders: {
      mail: {
        server: {
          from: 'variable',
          value: {
            ...{ host: 'mail.example.com', port: 465, secure: true, loopback: false },
            login: { user: 'ratafia', password: 'a/b@c' },
          },
        },
        from: { name: 'Store', address: 'store@example.com' },
      },
      webhook: {
        url: 'https://hooks.example.com/ratafia?from=store',
        secret: { from: 'variable', value: WHOLE.RATAFIA_WEBHOOK_SECRET },
        privateAddresses: ['10.20.0.0/16', 'fd00::/8'],
      },
    },
    trustedProxies: ['10.0.0.0/8', '::1'],
    rateLimits: {
      ...DEFAULT_RATES,
      tokens: { count: 10, period: 1_000 },
      'wait-token': undefined,
      devices: { count: 100_000, period: 3_600_000 },
    },
    maxConnections: 500,
    logLevel: 'debug',
    sudoUser: undefined,
    accessLog: false,
    docs: false,
    securityContacts: ['mailto:security@example.com', 'https://example.com/report'],
    metrics: { host: '::', port: 9464 },
    tracing: {
      url: 'http://collector:4318/otlp/v1/traces',
      encoding: 'json',
      headers: { authorization: 'Bearer x=1', b: '3' },
      serviceName: 'store-auth',
      resource: { 'service.name': 'other', 'deployment.environment': 'test' },
      sampler: { ratio: 0.25, parentBased: true },
    },
  })
})

test('turns off all rate limits', () => {
  const { rateLimits } = readConfig({ RATAFIA_RATE_LIMITS: 'off' })
  assert.deepEqual(
    Object.values(rateLimits),
    Object.keys(DEFAULT_RATES).map(() => undefined),
  )
})

test('an empty variable counts as absent', () => {
  const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, '']))
  assert.deepEqual(readConfig(empty), readConfig({}))
})

test('uses another default port for identity serve', () => {
  assert.equal(readConfig({}, 8081).port, 8081)
  assert.equal(readConfig({ RATAFIA_PORT: '9' }, 8081).port, 9)
})

const ON_POSTGRES = { RATAFIA_DATABASE_URL: 'postgres://db/x', RATAFIA_SECRET_KEY: KEY.toString('hex') }
const DEVICE_SERVICES = { RATAFIA_DEVICE_SERVICE_URLS: 'https://a.example.com' }
const MAILING = { RATAFIA_SMTP_URL: 'smtp://mail.example.com' }
const SIGNED = { RATAFIA_WEBHOOK_SECRET: 'x'.repeat(32) }
const TRACED = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

const each = (values: string): readonly string[] => values.split(' ')

/** Refused values, with the other variables that each variable requires. */
const REFUSED: readonly [name: VariableName, values: readonly string[], message: RegExp, Environment?][] = [
  ['RATAFIA_ACCESS_LOG', ['true', 'ON'], /it can be on, off/],
  ['RATAFIA_METRICS_PORT', ['x', '65536'], /is not a port/],
  [
    'RATAFIA_METRICS_HOST',
    ['http://x', '127.0.0.1:80'],
    /neither a host name/,
    { RATAFIA_METRICS_PORT: '9' },
  ],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318', 'grpc://x', 'http://a:b@x'], /Write an address such/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', ['grpc://x'], /does not begin with http:\/\/ or https:\/\/\. Write/],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['x', 'http://a@x'], /Write an address such as https?:/],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'HTTP/JSON'], /it can be http\/protobuf, http\/json/, TRACED],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', ['grpc'], /it can be http\/protobuf/, TRACED],
  ['OTEL_EXPORTER_OTLP_HEADERS', ['x', '=x', 'a=%zz', 'a b=c'], /is not a list such as name=value/, TRACED],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', ['x'], /is not a list such as name=value/, TRACED],
  ['OTEL_RESOURCE_ATTRIBUTES', ['x'], /is not a list such as name=value/, TRACED],
  ['OTEL_TRACES_SAMPLER', ['jaeger_remote', 'on'], /it can be always_on, .*traceidratio/, TRACED],
  [
    'OTEL_TRACES_SAMPLER_ARG',
    ['2', '-1', '50%', '1e-3'],
    /is not a number from 0 to 1/,
    { ...TRACED, OTEL_TRACES_SAMPLER: 'traceidratio' },
  ],
  ['OTEL_TRACES_EXPORTER', ['zipkin', 'otlp,console'], /it can be otlp, none/, TRACED],
  ['RATAFIA_HOST', ['http://x', 'a b', '127.0.0.1:80', '[::1]', '-x', ' ', 'x/'], /neither a host name/],
  ['RATAFIA_PORT', ['-1', '65536', '1e3', '80 ', '0x50', '123456'], /is not a port: .* from 0 to 65535/],
  ['RATAFIA_DEVICE_SERVICE_PATH', ['v1', '/', '//', '/a b', '/a/../b', '/.', '/a?b', '/é'], /is not a path/],
  ['RATAFIA_DEVICE_SERVICE_URLS', ['x', 'https://a.example,ftp://x', 'https://a@b'], /Write an address such/],
  [
    'RATAFIA_DEVICE_SERVICE_HEADERS',
    ['a b', 'x-a:', 'é', 'x,,y', 'x'.repeat(65)],
    /is not the name of a header/,
    DEVICE_SERVICES,
  ],
  [
    'RATAFIA_DEVICE_SERVICE_HEADERS',
    ['Host', 'x-a, Content-Length', 'X-Forwarded-For', 'Proxy-Authorization'],
    /cannot be forwarded/,
    DEVICE_SERVICES,
  ],
  ['RATAFIA_DEVICE_SERVICE_HEADERS', ['x-a'], /has no effect without RATAFIA_DEVICE_SERVICE_URLS/],
  ['RATAFIA_UNKNOWN_SESSIONS', ['accept'], /it can be refuse, ignore/],
  [
    'RATAFIA_SMTP_URL',
    [
      ...['mail.example.com', 'https://mail.example.com', 'smtp://', 'smtp://a b', 'smtp://x.example/y'],
      ...['smtp://user@mail.example.com', 'smtp://:pass@mail.example.com', 'smtp://u:%zz@mail.example.com'],
      ...['smtp://mail.example.com?tls=no', 'smtp://mail.example.com:0', 'smtp://u:%0d%0a@mail.example.com'],
    ],
    /is not the address of a mail server/,
  ],
  [
    'RATAFIA_MAIL_FROM',
    ['store', 'a@b@c', 'a@b, c@d', 'Store store@example.com', 'x\r\nBcc: y <a@example.com>', '<a@b>'],
    /is not a valid sender/,
    MAILING,
  ],
  ['RATAFIA_MAIL_FROM', ['a@example.com'], /has no effect without RATAFIA_SMTP_URL/],
  ['RATAFIA_WEBHOOK_URL', ['x', 'ftp://x', 'https://u:p@x'], /is not an https address/, SIGNED],
  [
    'RATAFIA_WEBHOOK_URL',
    ['http://a.x', 'http://localhost:9000', 'http://10.0.0.1/'],
    /is not https/,
    SIGNED,
  ],
  ['RATAFIA_WEBHOOK_URL', ['https://x/#y'], /has a (space|tab|line end|fragment)/, SIGNED],
  ['RATAFIA_WEBHOOK_URL', ['https://10.0.0.1/', 'https://[fd00::1]/'], /Allow its network with/, SIGNED],
  [
    'RATAFIA_WEBHOOK_SECRET',
    ['short', 'x'.repeat(31), 'x'.repeat(513), `${'x'.repeat(31)} y`, 'é'.repeat(32)],
    /is not a secret of 32 to 512/,
    { RATAFIA_WEBHOOK_URL: 'https://hooks.example.com/' },
  ],
  ['RATAFIA_WEBHOOK_SECRET', ['x'.repeat(32)], /has no effect without RATAFIA_WEBHOOK_URL/],
  [
    'RATAFIA_WEBHOOK_PRIVATE_ADDRESSES',
    ['x', '127.0.0.0/8', '169.254.0.0/16', '8.8.8.8', '0.0.0.0/0', '10.0.0.0/8,'],
    /is not a private network/,
    { ...SIGNED, RATAFIA_WEBHOOK_URL: 'https://hooks.example.com/' },
  ],
  ['RATAFIA_RETENTION_TOKEN_SESSIONS', ['0s', '59m', '1'], /is not a duration|Keep rows for at least 1h/],
  ['RATAFIA_RETENTION_DEVICE_SESSIONS', ['59m'], /Keep rows for at least 1h/],
  ['RATAFIA_RETENTION_REGISTRATIONS', ['600s'], /Keep rows for at least 1h/],
  ['RATAFIA_RETENTION_CLONE_EVIDENCE', ['1h', '29d'], /is shorter than RATAFIA_RETENTION_DEVICE_SESSIONS/],
  ['RATAFIA_RETENTION_AUDIT', ['never'], /is not a duration/],
  ['RATAFIA_RETENTION_WAITING_DEVICES', ['1m'], /Keep rows for at least 1h/],
  ['RATAFIA_RETENTION_JOBS', ['1m'], /Keep rows for at least 1h/],
  ['RATAFIA_RETENTION_COUNTERS', ['1m'], /Keep rows for at least 1h/],
  ['RATAFIA_MAX_WAITING_DEVICES', ['0', 'off'], /is not a number from 1/],
  ['RATAFIA_SIGNING_QUEUE', ['0', '-1', '1e3', '10000000'], /is not a number from 1/],
  ['RATAFIA_MAX_IN_FLIGHT', ['0', 'many'], /is not a number from 1/],
  ['RATAFIA_WORKERS', ['0', '1000', '1.5'], /is not a number of processes from 1 to 999/],
  ['RATAFIA_SHUTDOWN_DELAY', ['-1s', '5', 'x'], /is not a duration/],
  ['RATAFIA_DEVICE_SESSION_LIFETIME', ['0s', '1', '24H'], /is not a duration/],
  ['RATAFIA_PORT', ['tcp://10.0.0.1:8080'], /Kubernetes .* enableServiceLinks: false/],
  [
    'RATAFIA_BASE_URL',
    [
      'store.example.com',
      'ftp://x',
      'https://',
      'https://x/?a',
      'https://x#y',
      'https://x?',
      'https://a@x',
      'https://x:99999',
    ],
    /Write an address such as https:/,
  ],
  [
    'RATAFIA_DATABASE_URL',
    ['mysql://x', 'x', 'postgres//x', 'host=db', 'postgres://a:1,b:x/d', 'postgres://a:1,:2/d'],
    /is not a PostgreSQL address\. Write postgres:/,
  ],
  [
    'RATAFIA_DATABASE_URL',
    ['postgres://a,b/d?target_session_attrs=any', 'postgres://a,b/d?x=y&target_session_attrs=standby'],
    /because it writes\. Leave it out, or use one of read-write, primary, which have the same effect\./,
  ],
  ['RATAFIA_DATABASE_LISTEN_URL', ['mysql://x'], /is not a PostgreSQL address/, ON_POSTGRES],
  ['RATAFIA_DATABASE_POOL', ['0', 'x', '1e3'], /is not a number from 1/, ON_POSTGRES],
  ['RATAFIA_DATABASE_URL', ['postgres://db/x?sslmode=frob'], /an unknown sslmode/],
  // With one of these, the connection would have no TLS, or not check the certificate.
  [
    'RATAFIA_DATABASE_URL',
    ['sslmdoe=verify-full', 'sslMode=verify-full', 'a=b&sslmode=verify-full', 'ssl=0'].map(
      (query) => `postgres://db/x?${query}`,
    ),
    /^RATAFIA_DATABASE_URL has the unknown parameter (sslmdoe|sslMode|a|ssl)\..* The known parameters are sslmode, sslrootcert, /,
  ],
  ['RATAFIA_DATABASE_URL', ['postgres://db/x?sslmode=require&sslmode=disable'], /has a parameter twice\./],
  ['RATAFIA_SECRET_KEY', ['x', ...[42, 63, 65].map((n) => 'a'.repeat(n)), '!'.repeat(43)], /openssl rand /],
  ['RATAFIA_PREVIOUS_SECRET_KEY', ['x', 'a'.repeat(63)], /openssl rand -base64 32/],
  ['RATAFIA_IDENTITY_URL', ['http://a.x', 'http://10.0.0.1', 'http://127.0.0.1.example'], /is not https/],
  ['RATAFIA_IDENTITY_URL', ['id.example', 'https://id.example/?x'], /Write an address such as https?:/],
  [
    'RATAFIA_IDENTITY_PUBLIC_KEY',
    ['x', KEY.toString('hex')],
    /is not a public key: 32 bytes in base64/,
    { RATAFIA_IDENTITY_URL: 'https://id.example.com' },
  ],
  ['RATAFIA_IDENTITY_CONDITION', ['email', 'USERID'], /can be userid, username/],
  [
    'RATAFIA_KNOWN_SERVICES',
    [`https://a.example ${KEY.toString('base64')}`, 'https://a.example=x', `=${KEY.toString('base64')}`],
    /is not URL=KEY/,
  ],
  ['RATAFIA_KNOWN_SERVICES', [`a.example.com=${KEY.toString('base64')}`], /Write an address such as https?:/],
  [
    'RATAFIA_IDENTITY_RETURN_TO',
    [
      'app.example.com/callback',
      'http://app.example.com/callback',
      'https://a:b@app.example.com/',
      'https://app.example.com/callback?x=1',
      'https://app.example.com/#top',
      'https://app.example.com/a,',
    ],
    /Write an address such as https:\/\/app/,
  ],
  ['RATAFIA_URL', ['store.example.com', 'https://a:b@store.example.com'], /Write an address such as https?:/],
  [
    'RATAFIA_ISSUER_PROXY',
    each('proxy:3128 https://proxy socks5://proxy http://proxy/x http://proxy/?x http://%zz@proxy'),
    /is not the address of an HTTP proxy/,
  ],
  ['RATAFIA_ACCOUNTS', ['none', 'Auto', 'auto '], /can be auto, known/],
  ['RATAFIA_PASSWORD_LOGINS', ['yes', 'ON'], /can be on, off/],
  [
    'RATAFIA_LOGIN_HOST',
    [
      'https://a.example.com',
      'a.example.com/',
      'a.example.com:',
      'a b',
      'a:0',
      'a:65536',
      '[a]',
      '-a',
      'a@b',
    ],
    /is not a host, such as/,
  ],
  ['RATAFIA_DISCHARGE_LIFETIME', ['0', '1w', '24'], /is not a duration/],
  ['RATAFIA_DEVELOPER_ACCOUNT', ['true'], /can be on, off/],
  [
    'RATAFIA_TOKEN_LIFETIME',
    ['0', '0d', '5', 'd', '1w', '-1d', '1.5h', '1 d', '01d', '36526d', '9999999999d'],
    /is not a duration.*such as 365d/,
  ],
  ['RATAFIA_TOKEN_MAX_LIFETIME', ['0d', 'never'], /is not a duration/],
  ['RATAFIA_CI_MAX_LIFETIME', ['3600', '0s', '59s'], /is not a duration|lives for at least 60s/],
  ['RATAFIA_MANAGEMENT', ['true'], /can be on, off/],
  ['RATAFIA_MANAGEMENT_FROM', ['x', '10.0.0.0/33'], /not an address or CIDR block/],
  ['RATAFIA_CONSOLE', ['true'], /can be on, off/],
  ['RATAFIA_DOCS', ['true'], /can be on, off/],
  ['RATAFIA_SECURITY_CONTACT', ['ada', 'http://example.com/', 'a@b,', 'a@b c'], /is not a contact/],
  ['RATAFIA_SETUP', ['true'], /can be on, off/],
  ['RATAFIA_SETUP_LINK', ['on'], /can be terminal, print/],
  ['RATAFIA_NAME', ['a\u202eb', ' a', 'x'.repeat(65)], /is not a name/],
  ['RATAFIA_MANAGEMENT_LIFETIME', ['59s', '25h', 'long'], /from 1m to 24h|is not a duration/],
  [
    'RATAFIA_TRUSTED_PROXIES',
    ['x', '10.0.0.0/33', '::1/129', '10.0.0.1,', '1.2.3.4/8/9', 'fe80::1%eth0', '1.2.3.4/'],
    /not an address or CIDR block/,
  ],
  [
    'RATAFIA_RATE_LIMITS',
    each('on tokens tokens=5 tokens=5/1m/1m tokens=1/1m,tokens=2/1m frob=1/1m tokens=1/1m, off,off'),
    /has an item that is not a limit, or is listed twice: .*; the names are tokens, nonces,/,
  ],
  ['RATAFIA_RATE_LIMITS', ['tokens=0/1m', 'nonces=10000000/1m'], /is not a number from 1 to 9999999/],
  ['RATAFIA_RATE_LIMITS', ['tokens=5/m', 'tokens=5/0s', 'tokens=5/1x'], /is not a duration/],
  ['RATAFIA_MAX_CONNECTIONS', ['0', 'x'], /is not a number from 1/],
  ['RATAFIA_LOG_LEVEL', ['verbose', 'INFO'], /can be trace, debug/],
]

const PATHS = [
  'RATAFIA_TLS_CERT',
  'RATAFIA_TLS_KEY',
  'RATAFIA_DATA_DIR',
  'RATAFIA_DATABASE_URL_FILE',
  'RATAFIA_SECRET_KEY_FILE',
  'RATAFIA_PREVIOUS_SECRET_KEY_FILE',
  'RATAFIA_SMTP_URL_FILE',
  'RATAFIA_WEBHOOK_SECRET_FILE',
  'RATAFIA_AGENT_FILE',
  'RATAFIA_TOKEN_FILE',
  'RATAFIA_ID_TOKEN_FILE',
] as const satisfies readonly VariableName[]

/** Paths with text that is not expanded here, and the expected messages. */
const MISTAKEN_PATHS: readonly (readonly [value: string, message: RegExp])[] = [
  ['~/x', /is ~\/x, but only a shell expands ~\. Write the whole path, such as \/home\/USER\/x\.$/],
  ['~', /only a shell expands ~/],
  ['~ada/x', /such as \/home\/USER\/x\.$/],
  ['"/srv/x"', /with quotes that are not removed here\. Write \/srv\/x without them\.$/],
  ["'/srv/x'", /Write \/srv\/x without them\.$/],
  ['/srv/x\n', /with leading or trailing white space\. Write \/srv\/x without it\.$/],
  [' /srv/x', /with leading or trailing white space/],
  ['/srv/x\n/srv/y', /is "\/srv\/x\\n\/srv\/y", which is not a path/],
  ['$HOME/x', /but \$HOME is not expanded here/],
  ['$' + '{STATE_DIRECTORY}', /but \$\{STATE_DIRECTORY\} is not expanded here/],
  ['%h/x', /but %h is not expanded here/],
  ['file:///srv/x', /which is a URL\. Write a path: \/srv\/x\.$/],
  ['https://x.example', /which is a URL\. Write a path, such as/],
]
for (const name of PATHS) {
  for (const [value, message] of MISTAKEN_PATHS) {
    test(`refuses ${name}=${JSON.stringify(value)} with the probable intention`, () => {
      const webhook = name.startsWith('RATAFIA_WEBHOOK') ? { RATAFIA_WEBHOOK_URL: 'https://x.example' } : {}
      const tls = name.startsWith('RATAFIA_TLS') ? { RATAFIA_TLS_CERT: '/c', RATAFIA_TLS_KEY: '/k' } : {}
      const secret = name === 'RATAFIA_DATABASE_URL_FILE' ? { RATAFIA_SECRET_KEY: KEY.toString('hex') } : {}
      const lines = problems({ ...webhook, ...tls, ...secret, [name]: value })
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(String(lines[0]), new RegExp(`^${name} is `))
      assert.match(String(lines[0]), message)
    })
  }
}

for (const [name, values, message, others] of REFUSED) {
  for (const value of values) {
    test(`refuses only ${name} if it is ${value}`, () => {
      const secret = name === 'RATAFIA_DATABASE_URL' ? { RATAFIA_SECRET_KEY: KEY.toString('hex') } : {}
      const lines = problems({ ...secret, ...others, [name]: value })
      assert.equal(lines.length, 1, lines.join('\n'))
      assert.match(String(lines[0]), new RegExp(`^${name} `))
      assert.match(String(lines[0]), message)
      assert.match(String(lines[0]), /\.$/)
    })
  }
}

test('every variable that can be invalid is in the table above', () => {
  const free: VariableName[] = ['RATAFIA_ID_TOKEN', 'OTEL_SERVICE_NAME', 'OTEL_SDK_DISABLED']
  const shown = new Set([...free, ...PATHS, ...REFUSED.map(([name]) => name)])
  assert.deepEqual([...shown].sort(), Object.keys(VARIABLES).sort())
})

test('reports several problems together, on a line each', () => {
  const lines = problems({
    RATAFIA_PORT: 'x',
    RATAFIA_ACCOUNTS: 'x',
    RATAFIA_TOKEN_LIFETIME: 'x',
    RATAFIA_X: 'x',
  })
  assert.deepEqual(
    lines.map((line) => line.split(' ', 1)[0]),
    ['RATAFIA_X', 'RATAFIA_PORT', 'RATAFIA_ACCOUNTS', 'RATAFIA_TOKEN_LIFETIME'],
  )
})

test('refuses a misspelt variable, because a limit could silently have no effect', () => {
  assert.deepEqual(problems({ RATAFIA_TOKEN_MAX_LIFETME: '30d' }), [
    'RATAFIA_TOKEN_MAX_LIFETME is not a variable of this service. Did you mean RATAFIA_TOKEN_MAX_LIFETIME?',
  ])
  for (const [wrong, meant] of [
    ['RATAFIA_DATABSE_URL', 'RATAFIA_DATABASE_URL'],
    ['RATAFIA_DATABASE_ULR', 'RATAFIA_DATABASE_URL'],
    ['RATAFIA_PROT', 'RATAFIA_PORT'],
    ['RATAFIA_SECRETKEY_FILE', 'RATAFIA_SECRET_KEY_FILE'],
    ['RATAFIA_WORKER', 'RATAFIA_WORKERS'],
  ] as const) {
    assert.deepEqual(problems({ [wrong]: 'x' }), [
      `${wrong} is not a variable of this service. Did you mean ${meant}?`,
    ])
  }
  assert.deepEqual(problems({ RATAFIA_COLOUR: 'red' }), [
    'RATAFIA_COLOUR is not a variable of this service. `ratafia serve --help` lists all variables.',
  ])
})

test('does not report variables that Kubernetes sets for a Service as misspelt', () => {
  for (const name of each('SERVICE_HOST SERVICE_PORT SERVICE_PORT_HTTP PORT_80_TCP')) {
    const [line = ''] = problems({ [`RATAFIA_${name}`]: '10.0.0.1' })
    assert.match(line, /set by Kubernetes .* Set enableServiceLinks: false/)
  }
})

for (const [spelling, text] of [
  ['hex', KEY.toString('hex')],
  ['hex in capitals', KEY.toString('hex').toUpperCase()],
  ['base64', KEY.toString('base64')],
  ['base64 without padding', KEY.toString('base64').replace('=', '')],
  ['base64url', KEY.toString('base64url')],
  ['base64 with a line end', `${KEY.toString('base64')}\n`],
]) {
  test(`reads the secret key in ${spelling}`, () => {
    assert.deepEqual(readConfig({ RATAFIA_SECRET_KEY: text }).secret, { from: 'variable', key: KEY })
  })
}

test('never creates the secret key of a configured file', () => {
  assert.deepEqual(readConfig({ RATAFIA_SECRET_KEY_FILE: 'k' }).secret, {
    from: 'file',
    file: resolve('k'),
    makeBefore: undefined,
  })
})

test('finds a previous secret key in a variable, in a file, or next to the default key', () => {
  const key = KEY.toString('hex')
  const file = { RATAFIA_SECRET_KEY: key, RATAFIA_PREVIOUS_SECRET_KEY_FILE: 'old' }
  assert.deepEqual(readConfig(file).previousSecret, { from: 'file', file: resolve('old') })
  assert.equal(readConfig({ RATAFIA_SECRET_KEY: key }).previousSecret, undefined)
  assert.equal(readConfig({ RATAFIA_SECRET_KEY_FILE: 'k' }).previousSecret, undefined)
  assert.deepEqual(problems({ ...file, RATAFIA_PREVIOUS_SECRET_KEY: key }), [
    'RATAFIA_PREVIOUS_SECRET_KEY and RATAFIA_PREVIOUS_SECRET_KEY_FILE are both set. Keep one of them.',
  ])
})

test('reads the address of PostgreSQL from a file, and does not repeat its content', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-config-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'url')
  const environment = {
    RATAFIA_DATABASE_URL_FILE: file,
    RATAFIA_SECRET_KEY: KEY.toString('hex'),
    RATAFIA_DATABASE_POOL: '3',
  }
  assert.match(problems(environment).join(), /^RATAFIA_DATABASE_URL_FILE names .* cannot be read: /)
  writeFileSync(file, 'postgres://user:secret@db/x\n')
  assert.deepEqual(readConfig(environment).database, {
    kind: 'postgres',
    url: 'postgres://user:secret@db/x',
    listenUrl: 'postgres://user:secret@db/x',
    limits: { maxConnections: 3 },
  })
  assert.match(
    problems({ ...environment, RATAFIA_SECRET_KEY: '' }).join(),
    /^RATAFIA_SECRET_KEY .*required with PostgreSQL/,
  )
  assert.deepEqual(problems({ ...environment, RATAFIA_DATABASE_URL: 'postgres://db/x' }), [
    'RATAFIA_DATABASE_URL and RATAFIA_DATABASE_URL_FILE are both set. Keep one of them.',
  ])
  writeFileSync(file, 'postgres://user:sec#ret@db/x')
  const [line = ''] = problems(environment)
  assert.match(line, /^RATAFIA_DATABASE_URL_FILE names .*, whose content has a # /)
  assert.doesNotMatch(line, /sec/)
})

test('reads the standard variables of OpenTelemetry for traces', () => {
  const tracing = (environment: Environment) => readConfig({ ...TRACED, ...environment }).tracing
  assert.equal(tracing({})?.url, 'http://127.0.0.1:4318/v1/traces')
  assert.deepEqual(tracing({})?.sampler, { ratio: 1, parentBased: true })
  assert.equal(tracing({})?.encoding, 'protobuf')
  assert.equal(tracing({})?.serviceName, 'ratafia')
  assert.equal(tracing({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=named' })?.serviceName, 'named')
  // The URL for traces is used unchanged.
  assert.equal(tracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x/y' })?.url, 'http://x/y')
  const sampler = (name: string, argument = '') =>
    tracing({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument })?.sampler
  assert.deepEqual(sampler('always_on', '0.1'), { ratio: 1, parentBased: false })
  assert.deepEqual(sampler('always_off'), { ratio: 0, parentBased: false })
  assert.deepEqual(sampler('parentbased_always_off'), { ratio: 0, parentBased: true })
  assert.deepEqual(sampler('traceidratio', '0.1'), { ratio: 0.1, parentBased: false })
  assert.deepEqual(sampler('traceidratio'), { ratio: 1, parentBased: false })
  assert.throws(() => sampler('always_on', 'x'), /OTEL_TRACES_SAMPLER_ARG/)
})

test('without an endpoint, or turned off, traces ignore all other variables', () => {
  const others = { OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  assert.equal(readConfig(others).tracing, undefined)
  assert.equal(readConfig({ ...TRACED, ...others, OTEL_SDK_DISABLED: 'TRUE' }).tracing, undefined)
  assert.equal(readConfig({ ...TRACED, ...others, OTEL_TRACES_EXPORTER: 'none' }).tracing, undefined)
})

test('refuses variables that exclude or require each other', () => {
  // Invalid values are not compared.
  const lifetime = problems({ RATAFIA_TOKEN_LIFETIME: 'abc', RATAFIA_TOKEN_MAX_LIFETIME: '30d' })
  assert.equal(lifetime.length, 1, lifetime.join())
  assert.match(String(lifetime[0]), /^RATAFIA_TOKEN_LIFETIME /)
  assert.deepEqual(problems({ RATAFIA_METRICS_HOST: '::1' }), [
    'RATAFIA_METRICS_HOST has no effect without RATAFIA_METRICS_PORT. Also set RATAFIA_METRICS_PORT, or remove RATAFIA_METRICS_HOST.',
  ])
  const own = 'RATAFIA_METRICS_PORT is also the port of the service. Choose a separate port for metrics.'
  assert.deepEqual(problems({ RATAFIA_METRICS_PORT: '8080' }), [own])
  assert.deepEqual(problems({ RATAFIA_METRICS_PORT: '9', RATAFIA_PORT: '9' }), [own])
  assert.deepEqual(readConfig({ RATAFIA_METRICS_PORT: '0', RATAFIA_PORT: '0' }).metrics?.port, 0)
  for (const [name, value] of [
    ['RATAFIA_DATABASE_POOL', '5'],
    ['RATAFIA_DATABASE_LISTEN_URL', 'postgres://db/x'],
  ] as const) {
    assert.deepEqual(problems({ [name]: value }), [
      `${name} has no effect without RATAFIA_DATABASE_URL. Also set RATAFIA_DATABASE_URL, or remove ${name}.`,
    ])
  }
  const key = KEY.toString('hex')
  const url = 'postgres://db/x'
  assert.deepEqual(problems({ RATAFIA_SECRET_KEY: key, RATAFIA_SECRET_KEY_FILE: '/x' }), [
    'RATAFIA_SECRET_KEY and RATAFIA_SECRET_KEY_FILE are both set. Keep one of them.',
  ])
  assert.match(
    problems({ RATAFIA_DATABASE_URL: url }).join(),
    /^RATAFIA_SECRET_KEY .*required with PostgreSQL/,
  )
  assert.equal(
    readConfig({ RATAFIA_DATABASE_URL: url, RATAFIA_SECRET_KEY_FILE: '/x' }).database.kind,
    'postgres',
  )
  assert.match(
    problems({ RATAFIA_IDENTITY_PUBLIC_KEY: KEY.toString('base64') }).join(),
    /^RATAFIA_IDENTITY_PUBLIC_KEY has no effect without RATAFIA_IDENTITY_URL/,
  )
})

test('accepts http for an identity service on this machine', () => {
  for (const origin of each(
    'http://127.0.0.1:8081 http://localhost:8081 http://[::1]:8081 http://127.1.2.3',
  )) {
    assert.equal(readConfig({ RATAFIA_IDENTITY_URL: `${origin}/` }).identity?.url, origin)
  }
})

test("checks the database's certificate over TLS, however pg treats the sslmode", () => {
  const urlOf = (query: string) => {
    const environment = {
      RATAFIA_DATABASE_URL: `postgres://db/x?${query}`,
      RATAFIA_SECRET_KEY: KEY.toString('hex'),
    }
    const { database } = readConfig(environment)
    return database.kind === 'postgres' ? database.url : assert.fail()
  }
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    assert.equal(urlOf(`sslmode=${mode}`), 'postgres://db/x?sslmode=verify-full')
    assert.equal(urlOf(`user=b&sslmode=${mode}&port=1`), 'postgres://db/x?user=b&sslmode=verify-full&port=1')
  }
  const unchanged =
    'sslmode=disable sslmode=no-verify sslmode=require&uselibpqcompat=true options=sslmode=require'
  for (const query of each(unchanged)) {
    assert.equal(urlOf(query), `postgres://db/x?${query}`)
  }
})

test('requires the base URL if the service listens on every address', () => {
  for (const host of ['0.0.0.0', '::', '::0']) {
    assert.match(
      problems({ RATAFIA_HOST: host }).join(),
      /^RATAFIA_BASE_URL is required when RATAFIA_HOST is /,
    )
    assert.equal(readConfig({ RATAFIA_HOST: host, RATAFIA_BASE_URL: 'http://x' }).host, host)
  }
})

test('accepts durations in every unit, up to a century', () => {
  const lifetime = (text: string) => readConfig({ RATAFIA_TOKEN_LIFETIME: text }).tokenLifetime
  assert.deepEqual(['1s', '90m', '36h', '7d', '36525d'].map(lifetime), [
    1000,
    90 * 60_000,
    36 * 3_600_000,
    7 * DAY,
    36_525 * DAY,
  ])
})

test('a limit lowers the default lifetime, and conflicts only with a configured one', () => {
  assert.equal(readConfig({ RATAFIA_TOKEN_MAX_LIFETIME: '30d' }).tokenLifetime, 30 * DAY)
  assert.equal(readConfig({ RATAFIA_TOKEN_MAX_LIFETIME: '500d' }).tokenLifetime, 365 * DAY)
  const both = (lifetime: string, most: string) => ({
    RATAFIA_TOKEN_LIFETIME: lifetime,
    RATAFIA_TOKEN_MAX_LIFETIME: most,
  })
  assert.equal(readConfig(both('7d', '7d')).tokenMaxLifetime, 7 * DAY)
  assert.match(
    problems(both('8d', '7d')).join(),
    /^RATAFIA_TOKEN_MAX_LIFETIME is shorter than RATAFIA_TOKEN_LIFETIME/,
  )
})
