/**
 * The checker: what must be true of a history and of the final state, whatever the fault was. Pure functions, one row
 * per invariant; each finding is a sentence.
 */
import { acknowledged, type DeviceSeen, type Seen, type Subject, type Truth } from '../history.ts'

export interface Invariant {
  readonly name: string
  readonly says: string
  readonly find: (history: readonly Seen[], truth: Truth) => Iterable<string>
}

/** Nothing sent later than this after the acknowledgement of a revocation may be accepted. */
export const REVOKED_WITHIN_MS = 1_000

const isRule = (subject: Subject): boolean => subject.startsWith('rule ')
const isNoRule = (subject: Subject): boolean => !isRule(subject)

export const INVARIANTS = [
  {
    name: 'revocation-kept',
    says: 'No acknowledged revocation is forgotten.',
    *find(history, truth) {
      for (const [subject, { acknowledgedAt }] of endings(history)) {
        if (acknowledgedAt !== undefined && !hasEnded(subject, truth)) {
          yield `${subject}: its revocation was acknowledged at ${ms(acknowledgedAt)}, and it is in force`
        }
      }
    },
  },
  {
    name: 'revoked-refused',
    says: 'Nothing revoked is accepted by a request sent more than a second after the acknowledgement.',
    find: (history) => acceptedLater(history, isNoRule, () => REVOKED_WITHIN_MS),
  },
  {
    name: 'rule-removed-refused',
    says: 'A rule that was removed opens nothing more, and what it opened is refused a second later.',
    *find(history, { sessions }) {
      // No node remembers rules: an exchange is refused at once.
      yield* acceptedLater(history, isRule, ({ kind }) =>
        kind === 'exchange-id-token' ? 0 : REVOKED_WITHIN_MS,
      )
      const ended = endings(history)
      for (const { session, uses = [] } of history.filter(acknowledged)) {
        const rule = uses.find(
          (subject) => isRule(subject) && ended.get(subject)?.acknowledgedAt !== undefined,
        )
        if (rule !== undefined && session !== undefined && sessions.get(session) === false) {
          yield `${rule}: removed at ${ms(ended.get(rule)?.acknowledgedAt ?? 0)}, and its session ${session} is in force`
        }
      }
    },
  },
  {
    name: 'serial-one-key',
    says: 'A serial belongs to one device key.',
    find: (history, { devices }) =>
      moreThanOne(
        [...registered(history), ...devices].map(({ model, serial, key }) => [`${model}/${serial}`, key]),
        'device keys',
      ),
  },
  {
    name: 'key-one-serial',
    says: 'A device key has one serial of a model.',
    find: (history, { devices }) =>
      moreThanOne(
        [...registered(history), ...devices].map(({ model, serial, key }) => [`${key} of ${model}`, serial]),
        'serials',
      ),
  },
  {
    name: 'nonce-once',
    says: 'A nonce opens one session of a device key, for one request.',
    find: (history) => usedTwice(history, ['open', 'refresh']),
  },
  {
    name: 'request-id-once',
    says: 'A request-id registers one device, for one request.',
    find: (history) => usedTwice(history, ['register', 'remodel']),
  },
  {
    name: 'id-token-once',
    says: 'An ID token opens one session, for one request or for one Idempotency-Key.',
    find: (history) => usedTwice(history, ['exchange-id-token']),
  },
  {
    name: 'nothing-missing',
    says: 'What was acknowledged is in the database.',
    *find(history, truth) {
      const sessions = new Set(history.filter(acknowledged).flatMap(({ session }) => session ?? []))
      for (const session of sessions) {
        if (!truth.sessions.has(session)) yield `session ${session} was opened and is not there`
      }
      const stored = new Set(truth.devices.map(text))
      for (const device of new Set(registered(history).map(text))) {
        if (!stored.has(device)) yield `${device} was registered and is not there`
      }
      const waiting = new Set(
        history.flatMap(({ status, waits }) => (status === 202 && waits ? [waits] : [])),
      )
      for (const name of waiting) {
        if (!truth.requests.has(name)) yield `${name} was told to wait and is not there`
      }
    },
  },
  {
    name: 'job-item-once',
    says: 'What a job did has one entry in the audit log, and the outcome that says so.',
    *find(_history, { jobs, decisions }) {
      for (const { id, over, done } of jobs) {
        const entries = decisions.filter(({ job }) => job === id).map(({ device }) => device)
        for (const device of new Set([...entries, ...done])) {
          const times = entries.filter((one) => one === device).length
          if (times !== 1 && done.includes(device)) {
            yield `the job ${id} did ${device}, and has ${times} entries of it`
          } else if (over && !done.includes(device)) {
            yield `the job ${id} has ${times} entries of ${device}, and does not say that it did it`
          }
        }
      }
    },
  },
  {
    name: 'verify-agrees',
    says: '`ratafia verify` finds nothing wrong in the database.',
    find: (_history, { faults }) => faults,
  },
  {
    name: 'stays-good',
    says: 'What was answered 200 verifies later, on every node, until it is revoked.',
    *find(history) {
      const ended = endings(history)
      for (const seen of history) {
        if (!seen.mustHold || seen.status < 400 || seen.status >= 500) continue
        // An unanswered revocation may have happened: from when it was sent, both outcomes are right.
        const may = seen.uses?.some((subject) => (ended.get(subject)?.sent ?? Infinity) < seen.answered)
        if (!may) yield `${show(seen)} was refused with ${seen.status}: ${seen.detail ?? ''}`
      }
    },
  },
  {
    name: 'only-503',
    says: 'No answer is a 5xx but 503.',
    *find(history) {
      for (const seen of history) {
        if (seen.status >= 500 && seen.status !== 503) {
          yield `${show(seen)} was answered ${seen.status}: ${seen.detail ?? ''}`
        }
      }
    },
  },
  {
    name: 'serves-again',
    says: 'When a fault is over every node serves, and none has ended by itself.',
    *find(history, { lost }) {
      yield* lost
      for (const seen of history) {
        if (seen.final && (seen.status === 0 || seen.status >= 500)) {
          yield `after the end, ${show(seen)} had ${seen.status === 0 ? 'no answer' : `a ${seen.status}`}`
        }
      }
    },
  },
] as const satisfies readonly Invariant[]

export type InvariantName = (typeof INVARIANTS)[number]['name']

export interface Violation {
  readonly invariant: InvariantName
  readonly what: string
}

export function check(history: readonly Seen[], truth: Truth): readonly Violation[] {
  return INVARIANTS.flatMap(({ name, find }) =>
    Array.from(find(history, truth), (what) => ({ invariant: name, what })),
  )
}

/** What was accepted although a subject of its own had been revoked, longer ago than `within`, in milliseconds. */
function* acceptedLater(
  history: readonly Seen[],
  concerns: (subject: Subject) => boolean,
  within: (seen: Seen) => number,
): Iterable<string> {
  const ended = endings(history)
  for (const seen of history.filter(acknowledged)) {
    for (const subject of (seen.uses ?? []).filter(concerns)) {
      const at = ended.get(subject)?.acknowledgedAt
      if (at !== undefined && seen.sent > at + within(seen)) {
        yield `${subject}: revoked at ${ms(at)}, and ${show(seen)} was accepted`
      }
    }
  }
}

interface Ending {
  /** When it was first attempted, by a request that may have taken effect. */
  readonly sent: number
  /** When it was first acknowledged. */
  readonly acknowledgedAt: number | undefined
}

function endings(history: readonly Seen[]): ReadonlyMap<Subject, Ending> {
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

function hasEnded(subject: Subject, { sessions, accounts, ended, devices, requests }: Truth): boolean {
  const [kind, name = ''] = subject.split(/ (.*)/s)
  if (kind === 'session') return sessions.get(name) === true
  if (kind === 'account') return accounts.get(name) === true
  if (kind === 'logins') return ended.has(name.replace(/\/.*$/, ''))
  if (kind === 'request') return requests.get(name) === 'rejected'
  // No command lists them with what they opened: `rule-removed-refused` looks at the sessions.
  if (kind === 'rule' || kind === 'issuer-key') return true
  return devices.some(({ model, serial, revoked }) => revoked && name === `${model}/${serial}`)
}

const registered = (history: readonly Seen[]): readonly DeviceSeen[] =>
  history.filter(acknowledged).flatMap(({ device }) => device ?? [])

const text = ({ model, serial, key }: DeviceSeen): string => `${model}/${serial} with the key ${key}`

function* moreThanOne(pairs: readonly (readonly [string, string])[], what: string): Iterable<string> {
  const found = new Map<string, Set<string>>()
  for (const [name, value] of pairs) found.set(name, (found.get(name) ?? new Set()).add(value))
  for (const [name, values] of found) {
    if (values.size > 1) yield `${name} has ${values.size} ${what}: ${[...values].join(', ')}`
  }
}

function* usedTwice(history: readonly Seen[], kinds: readonly Seen['kind'][]): Iterable<string> {
  const uses = history.filter((seen) => acknowledged(seen) && kinds.includes(seen.kind))
  const pairs = (which: 'request' | 'result') =>
    uses.flatMap(({ once }) => (once ? [[once.text, once[which]] as const] : []))
  yield* moreThanOne(pairs('request'), 'requests')
  yield* moreThanOne(pairs('result'), 'results')
}

const show = ({ kind, where, sent, uses }: Seen): string =>
  `${kind}${uses ? ` (${uses.join(', ')})` : ''} sent to ${where} at ${ms(sent)}`
const ms = (time: number): string => `${Math.round(time)} ms`
