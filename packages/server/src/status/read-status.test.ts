import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directAuthority } from '../authority.ts'
import type { RunningProcess } from './process-store.ts'
import { readStatus, type StatusDeps, type Surroundings } from './read-status.ts'

const NOW = new Date('2027-01-31T12:00:00Z')
const DAY = 86_400_000
const daysFrom = (days: number) => new Date(NOW.getTime() + days * DAY)

const HERE: Surroundings = {
  database: { kind: 'sqlite', location: 'SQLite, here' },
  schema: 'current',
  answer: { url: 'http://127.0.0.1:8080', ready: true },
  certificates: [],
  remindersBy: [],
}

interface Seen {
  readonly clockAheadMs?: number
  readonly held?: readonly string[]
  readonly unlinked?: number
  readonly running?: readonly RunningProcess[]
  readonly jobs?: readonly { readonly state: 'queued' | 'running' }[]
  /** The age of an issuer's keys in hours; undefined if there is no issuer. */
  readonly issuerKeys?: number
  readonly failure?: string
  /** How many days ago the last backup was; undefined if there is none. */
  readonly backup?: number
  readonly signInLink?: number
}

function depsOf(seen: Seen): StatusDeps {
  const { clockAheadMs = 0, held = ['retention'], unlinked = 0, backup } = seen
  const deps = {
    clock: () => NOW,
    brands: { list: async () => [] },
    keyring: { list: async () => [] },
    sealer: { keyIds: () => ['key-1'] },
    audit: {
      list: async ({ action }: { readonly action: string }) => {
        const days = action === 'database.backup' ? backup : seen.signInLink
        return days === undefined ? [] : [{ at: daysFrom(-days), subject: 'ada' }]
      },
      countUnlinked: async () => unlinked,
    },
    issuers: { list: async () => issuersOf(seen) },
    processes: { running: async () => seen.running ?? [{ host: 'a', release: '1.0.0' }] },
    jobs: { active: async () => seen.jobs ?? [] },
    clockAhead: () => clockAheadMs,
    leases: { held: async () => held },
  }
  // The cast is safe: only members that these tests do not use are left out.
  return deps as unknown as StatusDeps
}

const read = (here: Partial<Surroundings>, seen: Seen) =>
  readStatus(
    {
      authority: directAuthority({ actor: 'operator', source: 'a test' }, 'operator'),
      surroundings: async () => ({ ...HERE, ...here }),
    },
    depsOf({ backup: 1, ...seen }),
  )

const issuersOf = ({ issuerKeys, failure }: Seen) =>
  issuerKeys === undefined
    ? []
    : [false, true].map((pinned) => ({
        issuer: { url: `https://gitlab.example/${pinned}` },
        keys: { failure, fetchedAt: daysFrom(-issuerKeys / 24), pinnedAt: pinned ? NOW : undefined },
      }))

async function statusOf(here: Partial<Surroundings>, seen: Seen) {
  const findings = await read(here, seen)
  return findings.filter(({ state }) => state !== 'ok').map(({ part, state, says }) => [part, state, says])
}

test('an installation without problems does not need attention', async () => {
  assert.deepEqual(await statusOf({}, { signInLink: 8 }), [])
  assert.deepEqual(
    await statusOf({ schema: 'newer' }, { clockAheadMs: -5000, unlinked: 1000, issuerKeys: 1.5 }),
    [],
  )
})

const ANSWERS = { url: 'http://127.0.0.1:8080' }
const CASES: readonly (readonly [
  here: Partial<Surroundings>,
  seen: Seen,
  part: string,
  state: string,
  says: RegExp,
])[] = [
  [{ schema: 'older' }, {}, 'schema', 'attention', /Run `ratafia migrate`/],
  [{ schema: 'contracted' }, {}, 'schema', 'attention', /^Only for a newer release\./],
  [
    {},
    { clockAheadMs: 5500 },
    'clock',
    'attention',
    /^The clock of this machine is 5\.5 seconds ahead of the database's\. Set both by NTP: .* no periodic work\.$/,
  ],
  [
    {},
    { clockAheadMs: -7_200_000 },
    'clock',
    'attention',
    /is 2 hours behind the database's\. .* no periodic work and answers no requests\.$/,
  ],
  [
    {},
    { issuerKeys: 3, failure: 'https://gitlab.example/x cannot be fetched: it answered with status 500.' },
    'issuers',
    'attention',
    /^The keys of https:\/\/gitlab\.example\/false were last fetched at 2027-01-31T09:00:00\.000Z: .* status 500\. They are used for 24 hours\.$/,
  ],
  [
    {},
    { issuerKeys: 25 },
    'issuers',
    'attention',
    /: the service, which fetches them every hour, is not running\. Its jobs cannot get tokens\.$/,
  ],
  [{}, { unlinked: 1001 }, 'audit_log', 'attention', /^1001 entries are not linked/],
  [{}, { backup: 8 }, 'backup', 'attention', /2027-01-23T12:00:00\.000Z, more than a week ago\.$/],
  [{ database: { kind: 'postgres', location: 'x' } }, { backup: 8 }, 'backup', 'unknown', /a week ago\.$/],
  [
    {
      certificates: [
        { file: 'ca.pem', until: daysFrom(300) },
        { file: 'a.pem', until: daysFrom(29) },
      ],
    },
    {},
    'certificates',
    'attention',
    /^a\.pem expires at 2027-03-01T12:00:00\.000Z\. Replace it\.$/,
  ],
  [{ certificates: undefined }, {}, 'certificates', 'attention', /cannot be read/],
  [
    { tls: { file: 'cert.pem', until: daysFrom(29) } },
    {},
    'certificates',
    'attention',
    /^cert\.pem expires at 2027-03-01T12:00:00\.000Z\. Replace it\.$/,
  ],
  [
    { tls: { file: 'cert.pem', problem: 'why.' } },
    {},
    'certificates',
    'attention',
    /^The certificate for https was not replaced by the one in its files: why\.$/,
  ],
  [{ lagMs: 1500 }, {}, 'changes', 'attention', /^This node has received no changes for 1\.5 s/],
  [{ lagMs: Number.POSITIVE_INFINITY }, {}, 'changes', 'attention', /^This node does not receive changes/],
  [{ answer: { ...ANSWERS, ready: false, why: 'x' } }, {}, 'service', 'attention', /not accept requests: x$/],
  [{ answer: { ...ANSWERS, ready: undefined } }, {}, 'service', 'unknown', /^Nothing answers at .* running/],
  [
    {},
    { signInLink: 6 },
    'sign_in_links',
    'attention',
    /^`ratafia sign-in-link` created one for ada at 2027-01-25T12:00:00\.000Z\. If none of your operators created it/,
  ],
  [{}, { running: [] }, 'nodes', 'unknown', /^No process has sent a heartbeat/],
  [{}, { held: [] }, 'jobs', 'attention', /Start the service\.$/],
]
for (const [here, seen, part, state, says] of CASES) {
  test(`reports ${state} for ${part}: ${says.source}`, async () => {
    const [finding, ...others] = await statusOf(here, seen)
    assert.deepEqual([finding?.slice(0, 2), others], [[part, state], []])
    assert.match(finding?.[2] ?? '', says)
  })
}

test('shows when the first certificate expires, and their uses', async () => {
  const says = async (here: Partial<Surroundings>) =>
    (await read(here, {})).find(({ part }) => part === 'certificates')?.says
  const tls = { file: 'cert.pem', until: daysFrom(31) }
  const end = 'the first expires at 2027-03-03T12:00:00.000Z.'
  assert.equal(await says({ tls }), `1 for https; ${end}`)
  const certificates = [{ file: 'ca.pem', until: daysFrom(300) }]
  assert.equal(await says({ tls, certificates }), `2 for https and the database connection; ${end}`)
})

test('counts running nodes, and running and waiting jobs', async () => {
  const says = async (seen: Seen, part: string) =>
    (await read({}, seen)).find((finding) => finding.part === part)?.says
  const process = (host: string, release = '1.0.0') => ({ host, release })
  assert.equal(await says({}, 'nodes'), 'One process is running on one machine, with release 1.0.0.')
  assert.equal(
    await says({ running: [process('a'), process('a'), process('b', '1.1.0')] }, 'nodes'),
    '3 processes are running on 2 machines, with releases 1.0.0, 1.1.0.',
  )
  assert.equal(await says({}, 'bulk_jobs'), 'No job is running or queued.')
  const jobs = (count: number) => Array.from({ length: count }, () => ({ state: 'queued' as const }))
  assert.equal(
    await says({ jobs: [{ state: 'running' }, ...jobs(2)] }, 'bulk_jobs'),
    '1 running, 2 queued. See `ratafia jobs list`.',
  )
  assert.equal(await says({ jobs: jobs(101) }, 'bulk_jobs'), 'More than 100 are running or queued.')
})
