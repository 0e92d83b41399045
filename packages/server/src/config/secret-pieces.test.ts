/**
 * Guarantee: no message about a setting shows a part of a value that may be secret, and no accepted address shows one
 * as its host: a password with a character of the URL syntax is refused, or read as a whole.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIssuer } from '../ci/issuers/check-issuer.ts'
import { describeDatabase } from '../cli/announcement.ts'
import { type Config, ConfigError, type Environment, readConfig } from './config.ts'
import { parsePostgresUrl } from './parse-postgres-url.ts'
import { VARIABLES, type VariableName } from './variables.ts'

/** Passwords whose parts are `piece…`, with characters that have a meaning in a URL. */
const PASSWORDS = [
  ...['piecea#pieceb', 'piecea@pieceb#piecec', 'piecea@pieceb', 'piecea/pieceb', '1/pieceb', '1?pieceb'],
  ...['1?piecea=pieceb', 'piecea?pieceb', 'piecea,pieceb', '1,pieceb', 'piecea:pieceb', 'piecea%pieceb'],
  ...['piecea%zz', 'piecea%ff', 'piecea&pieceb', 'piecea=pieceb', 'piecea\\pieceb', 'piecea[pieceb]'],
  ...['piecea pieceb', 'piecea\tpieceb', 'piecea\npieceb', '1@pieceb/piecec', '1#@pieceb', '/pieceb'],
  ...['?pieceb', '#pieceb', '@pieceb', 'piecea;pieceb', '<piecea>', '"piecea"', '{piecea}', 'piecea|pieceb'],
]

/** Returns addresses that a variable can have, with a password in its usual or in a mistaken place. */
const ADDRESSES: Partial<Record<VariableName, (password: string) => readonly string[]>> = {
  RATAFIA_DATABASE_URL: (password) => [
    `postgres://user:${password}@db.example.com/name`,
    `postgres://user:${password}@db.example.com:5432,other.example.com/name?sslmode=require`,
    `postgresql://db.example.com/name?user=user&password=${password}`,
    `postgres://${password}@db.example.com/name`,
    `postgres://user:${password}@db.example.com:port,other.example.com/name`,
    `postgress://user:${password}@db.example.com/name`,
  ],
  RATAFIA_SMTP_URL: (password) => [`smtps://user:${password}@mail.example.com`],
  ...Object.fromEntries(
    (
      [
        ...['RATAFIA_BASE_URL', 'RATAFIA_URL', 'RATAFIA_IDENTITY_URL', 'RATAFIA_DEVICE_SERVICE_URLS'],
        ...['RATAFIA_WEBHOOK_URL', 'RATAFIA_ISSUER_PROXY', 'RATAFIA_IDENTITY_RETURN_TO'],
        ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
      ] as const
    ).map((name) => [
      name,
      (password: string) => [
        `http://user:${password}@host.example.com`,
        `https://user:${password}@host.example.com/path`,
        `https://host.example.com/?token=${password}`,
        `https://${password}@host.example.com`,
        `https://user:${password}@host.example.com:99999`,
        `user:${password}@host.example.com`,
      ],
    ]),
  ),
  RATAFIA_KNOWN_SERVICES: (password) => [
    `https://user:${password}@host.example.com=${'a'.repeat(43)}`,
    `https://host.example.com=${password}`,
  ],
  OTEL_EXPORTER_OTLP_HEADERS: (password) => [
    `a ${password}`,
    password,
    `a=${password}%zz`,
    `a=%zz${password}`,
  ],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: (password) => [`authorization ${password}`, `${password}`],
  RATAFIA_SECRET_KEY: (password) => [password],
  RATAFIA_ID_TOKEN: (password) => [password],
  RATAFIA_PREVIOUS_SECRET_KEY: (password) => [password],
  RATAFIA_WEBHOOK_SECRET: (password) => [password],
}
ADDRESSES.RATAFIA_DATABASE_LISTEN_URL = ADDRESSES.RATAFIA_DATABASE_URL ?? assert.fail()

/** Variables whose values can be shown: numbers, names of files and hosts, choices. */
const SHOWN =
  /_(FILE|DIR|PORT|HOST|POOL|LIFETIME|PROXIES|LIMITS|FROM|NAME|HEADERS|CONDITION|PATH|QUEUE|DEVICES|SESSIONS|WORKERS|DELAY|LEVEL|LOG|IN_FLIGHT|CONNECTIONS|ACCOUNTS?|LOGINS|CONSOLE|DOCS|CONTACT|SETUP|LINK|TLS_CERT|TLS_KEY|MANAGEMENT|PUBLIC_KEY|PROTOCOL|ATTRIBUTES|SAMPLER|ARG|EXPORTER|DISABLED|ADDRESSES)$|RETENTION/

test('every variable can either be shown or is tested here', () => {
  const missing = Object.keys(VARIABLES).filter((name) => !(name in ADDRESSES) && !SHOWN.test(name))
  assert.deepEqual(missing, [])
})

for (const [name, addresses] of Object.entries(ADDRESSES)) {
  test(`messages about ${name} contain no part of a secret`, () => {
    for (const password of PASSWORDS) {
      for (const value of addresses(password)) {
        const { config, message } = read({ [name]: value })
        const shown = config ? describeDatabase(config.database) : message
        assert.doesNotMatch(shown, /piece/, JSON.stringify(value))
      }
    }
  })
}

test("the refusal of an issuer's URL contains no part of a secret", () => {
  for (const password of PASSWORDS) {
    for (const url of [
      `https://user:${password}@host.example.com`,
      `https://host.example.com/?t=${password}`,
    ]) {
      assert.throws(
        () => checkIssuer({ url, kind: 'github' }),
        (error: Error) => !error.message.includes('piece'),
        JSON.stringify(url),
      )
    }
  }
})

for (const [value, message] of [
  ['postgres://u:p@s#s@db/x', /^has a # that is not percent-encoded\. Percent-encode .* %23 for #/],
  ['postgres://u:p#s@db/x', /^has a # that is not/],
  ['postgres://u:1/s@db/x', /^has a \/ or \? before an @ that is not percent-encoded/],
  ['postgres://u:1?s@db/x', /^has a \/ or \? before an @ that is not/],
  ['postgres://u:1?a=s@db/x', /^has an unknown parameter\./],
  ['postgres://db/x?password=a&bcd', /^has an unknown parameter\./],
  ['postgres://u:a%zz@db/x', /^has a % that does not begin/],
  ['postgres://u:a%ff@db/x', /^has a % that does not begin/],
  ['postgres://u:a\n@db/x', /^has a line end/],
  [
    'postgres://db/x?sslmdoe=verify-full',
    /^has the unknown parameter sslmdoe\. Did you mean sslmode\? The known parameters are sslmode, /,
  ],
  ['postgres://db/x?pool_size=3', /^has the unknown parameter pool_size\. The known parameters are ssl/],
] as const) {
  test(`refuses ${JSON.stringify(value)} with the reason`, () => {
    assert.throws(() => parsePostgresUrl(value), { message })
  })
}

for (const value of [
  'postgres://u:p@ss@db/x',
  'postgres://u:p%40s%23s%2Fs%3Fs%25@db:1,db2/x',
  'postgres://u:a b@db/x',
  'postgres://db/x?user=me@server&password=p@ss',
  'postgres://db/x?sslrootcert=/etc/a@b.pem',
]) {
  test(`accepts ${value}`, () => assert.equal(parsePostgresUrl(value), value))
}

function read(environment: Environment): { readonly config?: Config; readonly message: string } {
  try {
    // Headers for traces are read only with an endpoint.
    const others = { RATAFIA_SECRET_KEY: '0'.repeat(64), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector' }
    return { config: readConfig({ ...others, ...environment }), message: '' }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { message: error.message }
  }
}
