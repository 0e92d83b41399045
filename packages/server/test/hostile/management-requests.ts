/** Requests of the worst administrators: known paths with absurd parameters, bodies and headers. */
import { MANAGEMENT_OPERATIONS, MANAGEMENT_PREFIX } from '@ratafia/api/schemas'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import fc from 'fast-check'
import { macaroonOf } from '../support/service.ts'
import type { RawRequest } from './pipeline.ts'
import { anyText, anyValue } from './publisher-texts.ts'
import { base64, damaged, headerText } from './requests.ts'

export interface ManagementSeeds {
  /** A management token, and ids of existing records, some of which it cannot see. */
  readonly token: string
  readonly ids: readonly string[]
  /** Ids of API keys and signing keys. */
  readonly keys: readonly string[]
  /** Models as BRAND/MODEL. */
  readonly models: readonly string[]
}

const NAMES = [
  ...['limit', 'cursor', 'sort', 'name', 'q', 'serial', 'serial_prefix', 'key', 'key_prefix'],
  ...['brand', 'model'],
  ...['status', 'quarantined', 'origin', 'decided_by', 'registered_since', 'registered_until', 'state'],
  ...['period', 'unused_since'],
  ...['seen_since', 'seen_until', 'never_seen', 'address', 'evidence', 'format'],
  ...['actor', 'action', 'subject', 'since', 'until', 'before', 'format', 'email', 'username'],
  ...['account', 'role', 'ends_before', 'dry_run', '__proto__', 'constructor', 'x'],
]
const VALUES = [
  ...['1', '1000', '-registered', 'registered', 'serial', 'acme-brand', 'acme-brand/acme-classic', 'pending'],
  ...['active', 'true', 'false', 'import', 'operator', '2026-11-25T00:00:00Z', 'all', 'viewer', ''],
  ...['W', '\0'],
  ...['-seen', 'seen', '-evidence', 'csv', 'ndjson', '192.0.2.0/24', '::/0', '::/129', '1.2.3.4/-1'],
  ...['%', "' or 1=1 --", '*', '9'.repeat(20), '\u{10ffff}'],
]

const text = (ids: readonly string[]) =>
  fc.oneof(fc.constantFrom(...VALUES, ...ids), anyText, fc.string({ unit: 'binary', maxLength: 60 }))

/** The JSON of an invented cursor, or any string. */
const cursors = fc.oneof(
  fc
    .array(fc.oneof(fc.jsonValue(), fc.string({ maxLength: 20 })), { maxLength: 4 })
    .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  anyText,
)

/** Valid parameters of lists, so that they answer; also for a brand that the caller cannot see. */
const SENSIBLE = fc.oneof(
  fc.constantFrom('limit=1', 'limit=1000', 'sort=serial', 'sort=registered', 'quarantined=false'),
  fc.constantFrom(
    'brand=other-brand',
    'brand=acme-brand',
    'status=pending',
    'status=active',
    'origin=import',
  ),
  fc.constantFrom('q=h', 'q=W', 'key_prefix=AQ', 'key_prefix=A', 'serial_prefix=h', 'state=all'),
  fc.constantFrom(
    ...['sort=-seen', 'sort=seen', 'sort=-evidence', 'never_seen=true', 'evidence=true', 'format=csv'],
  ),
  fc.constantFrom('address=::/0', 'address=192.0.2.0/24', 'seen_since=1970-01-01T00:00:00Z'),
  fc.constantFrom('format=csv', 'action=account.add', 'actor=operator', 'state=enabled', 'q=person'),
  fc.constantFrom('registered_since=1970-01-01T00:00:00Z', 'registered_until=2050-01-01T00:00:00Z'),
  fc.constantFrom('kind=devices.import&format=csv', 'kind=packages.import&format=json'),
  fc.constantFrom('kind=allow-list.import&format=ndjson&model=other-brand/own'),
  fc.constantFrom('period=30d', 'period=12mo', 'name=registrations', 'name=refusals'),
  fc.constantFrom('unused_since=2050-01-01T00:00:00Z', 'unused_since=1970-01-01T00:00:00Z'),
)

const queries = (ids: readonly string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 4, arbitrary: fc.array(SENSIBLE, { maxLength: 3 }).map((all) => all.join('&')) },
    {
      weight: 3,
      arbitrary: fc
        .array(
          fc.oneof(fc.tuple(fc.constantFrom(...NAMES), text(ids)), fc.tuple(fc.constant('cursor'), cursors)),
          { maxLength: 4 },
        )
        .map((pairs) =>
          pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
        ),
    },
  )

/** The bodies of jobs, about visible and hidden devices. */
const jobsAbout = (ids: readonly string[]): readonly object[] => [
  ...['devices.approve', 'devices.release', 'devices.revoke'].flatMap((kind) => [
    { kind, ids: ids.filter((id) => /^[0-9a-f-]{36}$/.test(id)).slice(0, 1_000) },
    { kind, filter: { brand: ['other-brand'] } },
    { kind, filter: { status: ['pending'] }, expected: 1 },
    { kind, filter: { q: 'h' } },
  ]),
  { kind: 'devices.reject', reason: 'why', filter: { brand: ['acme-brand'], never_seen: true } },
  { kind: 'tokens.revoke', ids: ids.slice(0, 3) },
  ...(['csv', 'json', 'ndjson'] as const).flatMap((format) => [
    { kind: 'devices.import', format, parts: 1 },
    { kind: 'devices.import', format, parts: 64, unknown_models: true },
    { kind: 'allow-list.import', format, parts: 1, model: 'other-brand/own' },
    { kind: 'allow-list.remove', format, parts: 1, model: 'acme-brand/acme-classic' },
    { kind: 'packages.import', format, parts: 2, replace_all: true },
  ]),
  { kind: 'hardware-identities.import', parts: 1 },
]

const bodies = (ids: readonly string[]) =>
  fc.oneof(
    fc.constantFrom<object>(
      ...[{}, { reason: 'why' }, { serial: 'NEW-1' }, { name: 'New' }, { label: 'line 1' }, { all: true }],
      ...[{ entries: [{ serial: 'W-1' }] }, { registration: 'allow-list' }, { taken_serial: 'reissue' }],
      ...[{ to: 'other-brand/own' }, { to: 'acme-brand/acme-classic' }, { force: true }],
      { assertion: 'type: model', policy: { registration: 'auto' } },
      ...jobsAbout(ids),
    ),
    fc.dictionary(
      fc.constantFrom(
        'serial',
        'username',
        'name',
        'email',
        'reason',
        'account',
        'role',
        'brand',
        'expires',
        'until',
        'token',
        'all_but',
        'roles',
        'brands',
        ...['label', 'uses', 'entries', 'all', 'registration', 'serials', 'assertion', 'policy'],
        ...['to', 'force'],
        'x',
      ),
      fc.oneof(text(ids), anyValue, fc.constant(null), fc.integer()),
      { maxKeys: 4 },
    ),
    anyValue,
  )

const limits = fc
  .oneof(
    fc.dictionary(
      fc.constantFrom('roles', 'brands', 'read_only', 'grants', '__proto__', 'x'),
      fc.oneof(fc.jsonValue(), fc.constantFrom(['viewer'], ['acme-brand'], true, [['operator', null]])),
    ),
    fc.jsonValue(),
  )
  .map((value) => `manage ${JSON.stringify(value)}`.toWellFormed())

/** Mostly the token itself: a request that is refused for its credential tests little else. */
function credentials(token: string): fc.Arbitrary<string> {
  const macaroon = macaroonOf(token)
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(token) },
    limits.map((condition) => encodeBase64Url(encodeBinary(addFirstPartyCaveat(macaroon, condition)))),
    base64(damaged(encodeBinary(macaroon))),
    headerText(60),
  )
}

const operations = Object.values(MANAGEMENT_OPERATIONS)

/** After this operation, the credential of all these requests would be revoked. */
const isLast = (path: string): boolean => path === MANAGEMENT_OPERATIONS.revokeMyTokens.path

/** Fills in a path, which can name one or two models and one of their records by its id. */
function filled(path: string, id: string, [from, to]: readonly [string, string]): string {
  const [brand = '', model = ''] = from.split('/')
  const [toBrand = '', toModel = ''] = to.split('/')
  const models: Readonly<Record<string, string>> = { brand, model, to_brand: toBrand, to_model: toModel }
  const parts: Readonly<Record<string, string>> = path.includes('/:model') ? models : { part: '1' }
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? id) || '%20')
}

export function managementRequests({ token, ids, keys, models }: ManagementSeeds): fc.Arbitrary<RawRequest> {
  const model = fc
    .oneof({ weight: 8, arbitrary: fc.constantFrom(...models) }, text(ids))
    .map((name) => name.toWellFormed())
  return fc
    .tuple(
      fc.constantFrom(...operations),
      fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...ids) }, text(ids)),
      fc.tuple(model, model),
      fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...keys) }, text(ids)),
      queries(ids),
      bodies(ids),
      credentials(token),
      fc.record(
        {
          'if-match': fc.oneof(
            { weight: 3, arbitrary: fc.constant('*') },
            fc.constantFrom('*', '"x"', 'W/"x"', '"'),
            headerText(80),
          ),
          'if-none-match': fc.oneof(fc.constantFrom('*', '"x"'), headerText(80)),
          'idempotency-key': fc.oneof(fc.constantFrom('a-key-that-repeats'), headerText(70)),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([{ method, path }, id, names, key, anyQuery, body, credential, headers]) => ({
      ...{ method, path, names, body, credential, headers },
      id: path.includes('keys/:id') ? key : id,
      query: isLast(path) ? 'dry_run=true' : anyQuery,
    }))
    .map(({ method, path, id, names, query, body, credential, headers }) => ({
      method,
      path: `${MANAGEMENT_PREFIX}${filled(path, id.toWellFormed(), names)}${query === '' ? '' : `?${query}`}`,
      headers: {
        ...headers,
        authorization: `Macaroon ${credential}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body).slice(0, 60_000) }),
    }))
}
