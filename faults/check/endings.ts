/** When each subject was revoked, according to a history. */
import { acknowledged, type Seen, type Subject, type Truth } from '../history.ts'

export interface Ending {
  /** When the first request that may have taken effect was sent. */
  readonly sent: number
  /** When the revocation was first acknowledged; undefined if it was not. */
  readonly acknowledgedAt: number | undefined
}

export function endings(history: readonly Seen[]): ReadonlyMap<Subject, Ending> {
  const found = new Map<Subject, Ending>()
  for (const seen of history) {
    // A request refused with a 4xx did nothing. Without an answer, or with a 503, it may have taken effect.
    if (seen.ends === undefined || (seen.status >= 400 && seen.status < 500)) continue
    const before = found.get(seen.ends)
    const at = acknowledged(seen) ? seen.answered : Infinity
    const first = Math.min(at, before?.acknowledgedAt ?? Infinity)
    found.set(seen.ends, {
      sent: Math.min(seen.sent, before?.sent ?? Infinity),
      acknowledgedAt: first === Infinity ? undefined : first,
    })
  }
  return found
}

export function hasEnded(subject: Subject, truth: Truth): boolean {
  const { sessions, accounts, ended, devices, requests, rules } = truth
  const [kind, name = ''] = subject.split(/ (.*)/s)
  if (kind === 'session') return sessions.get(name) === true
  if (kind === 'account') return accounts.get(name) === true
  if (kind === 'logins') return ended.has(name.replace(/\/.*$/, ''))
  if (kind === 'request') return requests.get(name) === 'rejected'
  if (kind === 'rule') return !rules.has(name)
  if (kind === 'grant') return !truth.grants.has(name)
  // No command lists withdrawn keys.
  if (kind === 'issuer-key') return true
  return devices.some(({ model, serial, revoked }) => revoked && name === `${model}/${serial}`)
}
