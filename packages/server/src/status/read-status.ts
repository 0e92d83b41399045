/** Reads the status for `ratafia status`: a finding for each part of the installation. */
import { type Authority, requireForAll } from '../authority.ts'
import { signingKeyLives } from '../brands/keys/list-signing-keys.ts'
import { listIssuers } from '../ci/issuers/find.ts'
import { DAY_MS, type FoundIssuer } from '../ci/issuers/issuer.ts'
import { clockAgreement, WORK_MS } from '../clock.ts'
import type { JobStore } from '../management/jobs/job-store.ts'
import type { Channel } from '../reminders/reminder.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import type { RunningProcess } from './process-store.ts'

/** `unknown` means that the state cannot be determined from here, which is not an error. */
export type State = 'ok' | 'attention' | 'unknown'

export interface Finding {
  readonly part:
    | 'service'
    | 'nodes'
    | 'jobs'
    | 'bulk_jobs'
    | 'database'
    | 'schema'
    | 'clock'
    | 'changes'
    | 'secret_key'
    | 'keys'
    | 'signing_keys'
    | 'issuers'
    | 'certificates'
    | 'audit_log'
    | 'backup'
    | 'sign_in_links'
    | 'reminders'
  readonly state: State
  /** A sentence, with what to do if it needs attention. */
  readonly says: string
}

export interface StatusDeps extends Stores {
  readonly clockAhead: () => number
}

/** The facts that the caller knows about its own process and machine. */
export interface Surroundings {
  readonly database: { readonly kind: 'sqlite' | 'postgres'; readonly location: string }
  readonly schema: 'current' | 'newer' | 'older' | 'contracted'
  /** The answer at the service's own URL; undefined if it is unknown because the system chooses the port. */
  readonly answer: Answer | undefined
  /** When each certificate that the database's URL names expires; undefined if they cannot be read. */
  readonly certificates: readonly { readonly file: string; readonly until: Date }[] | undefined
  /** The files for https; absent without TLS. */
  readonly tls?: TlsState
  /** How far this process may lag behind changes, in milliseconds; undefined outside the service. */
  readonly lagMs?: number
  /** The configured channels for reminders about what expires. */
  readonly remindersBy: readonly Channel[]
}

interface TlsState {
  /** The file of the certificate. */
  readonly file: string
  /** When its certificate expires; absent if it cannot be read. */
  readonly until?: Date
  /** Why the service does not serve what is in the files; absent while it does. */
  readonly problem?: string
}

interface Answer {
  readonly url: string
  /** Whether it is ready; undefined if nothing listens there. */
  readonly ready: boolean | undefined
  readonly why?: string
}

/** Certificates and signing keys that expire within this time need attention. */
const SOON_MS = 30 * DAY_MS
/** Revocations must be received within this time. */
const LAG_MS = 1_000
/** Longer than the hour after which keys of issuers are fetched again. */
const ISSUER_KEYS_MS = 2 * 3_600_000
const BACKUP_MS = 7 * DAY_MS
const SIGN_IN_LINK_MS = 7 * DAY_MS
/** More than a running service leaves unlinked, because it links the audit log every second. */
const UNLINKED = 1_000

/** A finding of the part that its function is named after. */
type Verdict = Omit<Finding, 'part'>

const ok = (says: string): Verdict => ({ state: 'ok', says })
const attention = (says: string): Verdict => ({ state: 'attention', says })
const unknown = (says: string): Verdict => ({ state: 'unknown', says })

/** Throws `permission-denied` and `Unavailable`. */
export async function readStatus(
  {
    authority,
    surroundings,
  }: { readonly authority: Authority; readonly surroundings: () => Promise<Surroundings> },
  deps: StatusDeps,
): Promise<readonly Finding[]> {
  requireForAll(authority, 'status:read')
  const here = await surroundings()
  const now = deps.clock()
  const held = await deps.leases.held()
  return [
    { part: 'service', ...service(here.answer, held.length > 0) },
    { part: 'nodes', ...nodes(await deps.processes.running()) },
    { part: 'jobs', ...periodicJobs(held) },
    { part: 'bulk_jobs', ...bulkJobs(await deps.jobs.active(MOST_JOBS + 1)) },
    { part: 'database', ...ok(`${here.database.location} answers.`) },
    { part: 'schema', ...SCHEMA[here.schema] },
    { part: 'clock', ...clock(deps.clockAhead()) },
    ...(here.lagMs === undefined ? [] : [{ part: 'changes', ...changes(here.lagMs) } as const]),
    { part: 'secret_key', ...secretKey(deps.sealer.keyIds()) },
    { part: 'keys', ...(await keys(deps.keyring)) },
    { part: 'signing_keys', ...(await signingKeys(deps)) },
    { part: 'issuers', ...(await issuers(deps, now)) },
    { part: 'certificates', ...certificates(here, now) },
    { part: 'audit_log', ...(await auditLog(deps.audit)) },
    { part: 'backup', ...(await backup(here.database.kind, now, deps.audit)) },
    { part: 'sign_in_links', ...(await signInLinks(now, deps.audit)) },
    { part: 'reminders', ...reminders(here.remindersBy) },
  ]
}

function service(answer: Answer | undefined, works: boolean): Verdict {
  const elsewhere = works
    ? ' A process does the periodic work, so the service is running here or on another machine.'
    : ''
  if (answer === undefined) return unknown(`The system chooses its port when it starts.${elsewhere}`)
  const { url, ready, why = 'it gives no reason.' } = answer
  if (ready) return ok(`${url} accepts requests.`)
  if (ready === false) return attention(`${url} answers, but does not accept requests: ${why}`)
  return works
    ? unknown(`Nothing answers at ${url} from here.${elsewhere}`)
    : attention(`Nothing answers at ${url}. Start \`ratafia serve\`.`)
}

function nodes(running: readonly RunningProcess[]): Verdict {
  if (running.length === 0) return unknown('No process has sent a heartbeat within 90 seconds.')
  const machines = new Set(running.map(({ host }) => host)).size
  const releases = [...new Set(running.map(({ release }) => release))].sort()
  const processes =
    running.length === 1 ? 'One process is running' : `${running.length} processes are running`
  const where = machines === 1 ? 'one machine' : `${machines} machines`
  const what = releases.length === 1 ? `release ${releases[0]}` : `releases ${releases.join(', ')}`
  return ok(`${processes} on ${where}, with ${what}.`)
}

const periodicJobs = (held: readonly string[]): Verdict =>
  held.length > 0
    ? ok(`A process is running ${held.join(', ')}.`)
    : attention('No process does the periodic work, so expired rows are not removed. Start the service.')

/** The maximum number of jobs that are counted. */
const MOST_JOBS = 100

function bulkJobs(active: Awaited<ReturnType<JobStore['active']>>): Verdict {
  if (active.length === 0) return ok('No job is running or queued.')
  if (active.length > MOST_JOBS) return ok(`More than ${MOST_JOBS} are running or queued.`)
  const running = active.filter(({ state }) => state === 'running').length
  return ok(`${running} running, ${active.length - running} queued. See \`ratafia jobs list\`.`)
}

const SCHEMA: Readonly<Record<Surroundings['schema'], Verdict>> = {
  current: ok('Up to date.'),
  newer: ok('From a newer release, and this release can use it.'),
  older: attention('Older than this release. Run `ratafia migrate`.'),
  contracted: attention('Only for a newer release. Upgrade this one.'),
}

function clock(aheadMs: number): Verdict {
  const { says } = clockAgreement(aheadMs)
  if (says !== undefined) return attention(says)
  return ok(`The clocks of this machine and the database agree within ${WORK_MS / 1000} seconds.`)
}

function changes(lagMs: number): Verdict {
  if (lagMs <= LAG_MS) return ok('This node receives changes within a second.')
  return attention(
    Number.isFinite(lagMs)
      ? `This node has received no changes for ${(lagMs / 1000).toFixed(1)} s, and queries the database for every request.`
      : 'This node does not receive changes, and queries the database for every request.',
  )
}

function secretKey([current, previous]: readonly [string, string?]): Verdict {
  return previous === undefined || previous === current
    ? ok(`${current} opens the sealed keys in the database.`)
    : attention(
        `${current} is in use, and ${previous} is still set. Finish the change with \`ratafia secret rotate\`, then remove the old key.`,
      )
}

async function keys(keyring: StatusDeps['keyring']): Promise<Verdict> {
  const all = await keyring.list()
  const newest = all.find(({ kind, active }) => kind === 'root' && active)
  if (newest === undefined) return ok('No keys yet. The service creates the first when it starts.')
  return ok(`${all.length} keys; the current root key was created at ${newest.createdAt.toISOString()}.`)
}

/** A brand does not need attention while one of its keys can sign, even if others have expired or are disabled. */
async function signingKeys(deps: StatusDeps): Promise<Verdict> {
  const brands = await deps.brands.list()
  if (brands.length === 0) return ok('No brands, so no signing keys.')
  const all = await signingKeyLives(deps)
  const wanting = brands.flatMap(({ accountId }) => {
    const lives = all.filter((key) => key.accountId === accountId).map(({ remaining }) => remaining * 1000)
    const longest = Math.max(0, ...lives)
    if (longest === 0) {
      return [`No key of ${accountId} can sign. \`ratafia signing-keys list\` shows the reasons.`]
    }
    return longest < SOON_MS
      ? [`The last key of ${accountId} expires in ${inDays(longest)}. Add another.`]
      : []
  })
  if (wanting.length > 0) return attention(wanting.join(' '))
  return ok(`${all.filter(({ remaining }) => remaining > 0).length} can sign serials.`)
}

async function issuers(stores: TransactionStores, now: Date): Promise<Verdict> {
  const all = await listIssuers(stores)
  if (all.length === 0) return ok('No issuers, so CI jobs cannot get tokens.')
  const age = ({ keys }: FoundIssuer) => now.getTime() - keys.fetchedAt.getTime()
  const old = all.filter((found) => found.keys.pinnedAt === undefined && age(found) > ISSUER_KEYS_MS)
  if (old.length === 0) {
    const which = all.length === 1 ? 'the issuer' : `all ${all.length} issuers`
    return ok(`The keys of ${which} are up to date.`)
  }
  const says = old.map((found) => {
    const { fetchedAt, failure = 'the service, which fetches them every hour, is not running' } = found.keys
    const end = age(found) > DAY_MS ? 'Its jobs cannot get tokens' : 'They are used for 24 hours'
    return `The keys of ${found.issuer.url} were last fetched at ${fetchedAt.toISOString()}: ${failure.replace(/\.$/, '')}. ${end}.`
  })
  return attention(says.join(' '))
}

function inDays(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS)
  if (days === 0) return 'less than a day'
  return days === 1 ? 'one day' : `${days} days`
}

function certificates(
  { certificates: ofDatabase, tls }: Pick<Surroundings, 'certificates' | 'tls'>,
  now: Date,
): Verdict {
  if (!ofDatabase) {
    return attention('The certificates of the database connection cannot be read. Restore their files.')
  }
  const own = tls?.until === undefined ? [] : [{ file: tls.file, until: tls.until }]
  const all = [...own, ...ofDatabase]
  const problems = all
    .filter(({ until }) => until.getTime() - now.getTime() < SOON_MS)
    .map(({ file, until }) => `${file} expires at ${until.toISOString()}. Replace it.`)
  if (tls?.problem !== undefined) {
    problems.unshift(`The certificate for https was not replaced by the one in its files: ${tls.problem}`)
  }
  if (problems.length > 0) return attention(problems.join(' '))
  const [any] = all
  if (any === undefined) {
    return ok(
      'No certificates to check: the database URL names none, and the reverse proxy handles client TLS.',
    )
  }
  const first = all.reduce((a, b) => (a.until < b.until ? a : b), any)
  const uses = [...(tls ? ['https'] : []), ...(ofDatabase.length > 0 ? ['the database connection'] : [])]
  return ok(`${all.length} for ${uses.join(' and ')}; the first expires at ${first.until.toISOString()}.`)
}

async function auditLog(audit: StatusDeps['audit']): Promise<Verdict> {
  const unlinked = await audit.countUnlinked()
  return unlinked > UNLINKED
    ? attention(
        `${unlinked} entries are not linked to the chain yet. The service links them every second while it is running.`,
      )
    : ok('The chain is up to date. `ratafia audit verify` checks it.')
}

/** Operators should know about every credential that bypasses the sign-in. */
async function signInLinks(now: Date, audit: StatusDeps['audit']): Promise<Verdict> {
  const [last] = await audit.list({ action: 'account.sign-in-link' }, { limit: 1 })
  if (last === undefined || now.getTime() - last.at.getTime() > SIGN_IN_LINK_MS) {
    return ok('None was created in the last seven days.')
  }
  return attention(
    `\`ratafia sign-in-link\` created one for ${last.subject} at ${last.at.toISOString()}. If none of your operators created it, someone else has access to the host.`,
  )
}

async function backup(kind: 'sqlite' | 'postgres', now: Date, audit: StatusDeps['audit']): Promise<Verdict> {
  const [last] = await audit.list({ action: 'database.backup' }, { limit: 1 })
  // PostgreSQL has its own backup tools, which are not visible here.
  const missing = kind === 'postgres' ? unknown : attention
  if (last === undefined) {
    return missing(
      kind === 'postgres'
        ? 'No backup with `ratafia backup` yet. Other backups are not known here.'
        : 'No backup yet. Run `ratafia backup FILE`.',
    )
  }
  const isOld = now.getTime() - last.at.getTime() > BACKUP_MS
  const says = `The last \`ratafia backup\` was at ${last.at.toISOString()}${isOld ? ', more than a week ago' : ''}.`
  return isOld ? missing(says) : ok(says)
}

/** Mail is optional, so an installation without it is ok. The finding shows that reminders are not sent. */
function reminders(by: Surroundings['remindersBy']): Verdict {
  const hasWebhook = by.includes('webhook')
  if (by.includes('mail')) {
    const also = hasWebhook ? ', and posts them to the webhook' : ''
    return ok(`Mail is on: the service mails reminders about what expires${also}.`)
  }
  return ok(
    hasWebhook
      ? 'Mail is off, and the webhook gets each reminder. To also send them by e-mail, set `RATAFIA_SMTP_URL`.'
      : 'Mail is off: the service does not send reminders before credentials expire. Set `RATAFIA_SMTP_URL` for mail, or `RATAFIA_WEBHOOK_URL`, which works without mail.',
  )
}
