/** After all faults: presents everything that was acknowledged once more, and reads what the service itself reports. */
import type { JobSeen, Truth } from '../history.ts'
import type { Command } from '../world/command.ts'
import { sleep } from '../world/processes.ts'
import { readTables, type Tables } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import type { Client } from './client.ts'
import { mine } from './console.ts'
import {
  nonceIn,
  opening,
  poll,
  registration,
  registrationAgain,
  requestIdIn,
  verification,
} from './device.ts'
import { exchangingIdToken } from './job.ts'
import { idTokenOf } from './jobs.ts'
import { whoami } from './log-in.ts'
import { refreshing } from './password-login.ts'
import type { Request } from './wire.ts'

const AT_ONCE = 8
/** How many of each client's newest devices register again: a registration costs as much as many verifications. */
const DEVICES = 12
/** How many of each client's newest discharges are refreshed. */
const PAIRS = 12
/** How many of each client's newest nonces, request-ids and ID tokens are used again. */
const NEWEST = 8
/** How many of the oldest: a record that was removed too early is an old one. A nonce shows it for ten minutes. */
const OLDEST = 2

/**
 * Presents every token and session ever issued to a random node, repeats the registrations of pending devices,
 * exchanges an ID token for every rule that ever existed, and tries to reuse nonces, request-ids and ID tokens.
 */
export async function showEverything(clients: readonly Client[]): Promise<void> {
  const requests = clients.flatMap((client) => {
    const { tokens, endedTokens, pairs, endedPairs, sessions, endedSessions, devices } = client
    const all: Request[] = [
      ...[...tokens, ...endedTokens, ...pairs, ...endedPairs].map((one) => whoami(one, true)),
      ...[...pairs.slice(-PAIRS), ...endedPairs.slice(-PAIRS)].map((pair) => refreshing(pair, true)),
      ...[...sessions, ...endedSessions].map((session) => verification(session, true)),
      ...devices.slice(-DEVICES).map((device) => registrationAgain(device, true)),
      ...[...client.waiting, ...client.rejected].map((waiting) => poll(waiting, true)),
      ...[...client.jobTokens, ...client.endedJobTokens].map((token) => whoami(token, true)),
      ...[...client.consoles, ...client.endedConsoles].map((token) => mine(token, true)),
      ...jobsOf(client),
      ...usedOnes(client).map((request) => ({ ...request, final: true })),
    ]
    return all.map((request) => ({ client, request }))
  })
  const worker = async () => {
    for (let next = requests.pop(); next; next = requests.pop()) {
      const { client, request } = next
      await client.wire.send(client.wire.pick(client.random), request)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Returns an exchange of a new ID token for each rule, including removed ones. */
function jobsOf(client: Client): readonly Request[] {
  const { rules, endedRules, issuer } = client
  return [...rules, ...endedRules].flatMap((rule) => {
    const idToken = idTokenOf(rule, client)
    const fresh = idToken && rules.includes(rule) && issuer.isKnown(idToken.keyId)
    return idToken ? exchangingIdToken(idToken, { fresh: fresh ?? false, final: true }) : []
  })
}

/** Returns requests that reuse nonces in other requests, request-ids for other devices, and ID tokens unchanged. */
function usedOnes({ sessions, devices, units, usedIdTokens }: Client): readonly Request[] {
  const nonces = newestAndOldest(sessions).map(({ device, opening: { body } }) =>
    opening(device, nonceIn(body)),
  )
  const [unit] = units
  const requestIds = unit
    ? newestAndOldest(devices).map((device) => registration(unit, requestIdIn(device.registration.body)))
    : []
  const idTokens = newestAndOldest(usedIdTokens).map((used) =>
    exchangingIdToken({ ...used, idempotencyKey: undefined }),
  )
  return [...nonces, ...requestIds, ...idTokens]
}

const newestAndOldest = <One>(all: readonly One[]): readonly One[] =>
  all.length > OLDEST + NEWEST ? [...all.slice(0, OLDEST), ...all.slice(-NEWEST)] : all

/** Reads the final state with the operator's commands and from the tables themselves. */
export async function readTruth({
  ratafia,
  statement,
  kind,
  found,
}: Pick<World, 'ratafia' | 'statement' | 'kind' | 'found'>): Promise<
  Omit<Truth, 'lost' | 'logs' | 'resources'>
> {
  await untilJobsEnd(statement)
  // Read before the audit log, which then has an entry for every finished item.
  const jobs = await jobsIn(statement)
  const [sessions, accounts, devices, checks] = await Promise.all([
    json(ratafia, ['tokens', 'list', '--include-inactive', '--json']),
    json(ratafia, ['accounts', 'list', '--json']),
    json(ratafia, ['devices', 'export', '--format', 'json']),
    verify(ratafia),
  ])
  return {
    sessions: new Map(sessions.map((row) => [String(row['session_id']), row['revoked_at'] != null])),
    ended: new Set(accounts.flatMap((row) => (row['logins_since'] == null ? [] : String(row['username'])))),
    accounts: new Map(accounts.map((row) => [String(row['username']), row['disabled_at'] != null])),
    devices: devices
      .filter(({ status }) => status === 'active' || status === 'revoked')
      .map((row) => ({
        model: String(row['model']),
        serial: String(row['serial']),
        key: String(row['device_key_id']),
        revoked: row['status'] === 'revoked',
      })),
    requests: new Map(
      devices.map((row) => [`${row['model']}/${row['device_key_id']}`, String(row['status'])]),
    ),
    ...found,
    ...(await inTables(await readTables(statement, kind))),
    jobs,
    faults: checks,
  }
}

function inTables(
  tables: Tables,
): Pick<Truth, 'tables' | 'jobStates' | 'decisions' | 'rules' | 'grants' | 'operators' | 'packages'> {
  const rows = (name: string) => tables.get(name) ?? []
  const names = new Map(rows('account').map(({ id, username }) => [id, username]))
  const grants = rows('role_grant').map(({ subject, role }) => `${names.get(subject)} ${role}`)
  const everHad = rows('audit_entry').some(
    ({ action, details }) => action === 'grant.add' && JSON.parse(String(details)).grant === 'operator',
  )
  const operators = grants.flatMap((grant) =>
    grant.endsWith(' operator') ? [grant.split(' ')[0] ?? ''] : [],
  )
  return {
    tables,
    jobStates: new Map(rows('job').map(({ id, state }) => [String(id), String(state)])),
    decisions: rows('audit_entry').flatMap(({ action, subject, details }) => {
      const { job } = JSON.parse(String(details))
      if (job === undefined || (action !== 'device.approve' && !String(action).endsWith('.import'))) return []
      // The only item of an import is its file.
      return { job: String(job), device: action === 'device.approve' ? String(subject) : 'file' }
    }),
    rules: new Set(
      rows('publisher_rule').flatMap(({ name, disabled_at: at }) => (at === null ? [String(name)] : [])),
    ),
    grants: new Set(grants),
    operators: everHad ? new Set(operators) : undefined,
    packages: new Set(rows('package').map(({ name }) => String(name))),
  }
}

const LOOK_MS = 300
/** Jobs count as lost after this many checks without a finished item in between: two minutes. */
const MOST_LOOKS = 400

/** Waits until no job is left to do, or none makes progress. */
async function untilJobsEnd(statement: World['statement']): Promise<void> {
  let before = ''
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const left = await statement(
      "select id, state, done, unchanged, refused from job where state in ('queued', 'running') order by id",
    ).catch(() => [])
    if (left.length === 0) return
    const now = JSON.stringify(left)
    if (now !== before) looks = 0
    before = now
    await sleep(LOOK_MS)
  }
}

/** Returns every job with its finished items. */
async function jobsIn(statement: World['statement']): Promise<readonly JobSeen[]> {
  // Read before the items, so that the items of a finished job are complete.
  const jobs = await statement('select id, state from job')
  const items = await statement("select job_id, subject from job_item where outcome = 'done'")
  const done = Map.groupBy(items, ({ job_id: job }) => String(job))
  return jobs.map(({ id, state }) => ({
    id: String(id),
    over: state !== 'queued' && state !== 'running',
    done: (done.get(String(id)) ?? []).map(({ subject }) => String(subject)),
  }))
}

async function json(ratafia: Command, words: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await ratafia(words)
  if (code !== 0) throw new Error(`ratafia ${words.join(' ')} exited ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

async function verify(ratafia: Command): Promise<readonly string[]> {
  const { code, stdout, stderr } = await ratafia(['verify', '--json'])
  // Exit code 1 means that the output lists problems.
  if (code !== 0 && code !== 1) throw new Error(`ratafia verify exited ${code}: ${stderr}`)
  const { checks }: { checks: readonly { name: string; examples: readonly string[] }[] } = JSON.parse(stdout)
  return checks.flatMap(({ name, examples }) => examples.map((example) => `${name}: ${example}`))
}
