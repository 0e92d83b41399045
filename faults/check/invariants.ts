/**
 * The checker: conditions that a history and the final state must meet, whatever the fault was. Each invariant is a row
 * with a pure function, and each finding is a sentence.
 */
import { acknowledged, type DeviceSeen, type Seen, type Subject, type Truth } from '../history.ts'
import { unaudited } from './audited.ts'
import { endings, hasEnded } from './endings.ts'

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
          yield `${subject}: its revocation was acknowledged at ${ms(acknowledgedAt)}, but it is still in force`
        }
      }
    },
  },
  {
    name: 'revoked-refused',
    says: 'A revoked credential is refused if it is sent more than a second after the acknowledgement.',
    find: (history) => acceptedLater(history, isNoRule, () => REVOKED_WITHIN_MS),
  },
  {
    name: 'rule-removed-refused',
    says: 'A removed rule opens no more sessions, and its sessions are refused a second later.',
    *find(history, { sessions }) {
      // Nodes do not cache rules, so an exchange must be refused at once.
      yield* acceptedLater(history, isRule, ({ kind }) =>
        kind === 'exchange-id-token' ? 0 : REVOKED_WITHIN_MS,
      )
      const ended = endings(history)
      for (const { session, uses = [] } of history.filter(acknowledged)) {
        const rule = uses.find(
          (subject) => isRule(subject) && ended.get(subject)?.acknowledgedAt !== undefined,
        )
        if (rule !== undefined && session !== undefined && sessions.get(session) === false) {
          const at = ms(ended.get(rule)?.acknowledgedAt ?? 0)
          yield `${rule}: removed at ${at}, but its session ${session} is still in force`
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
    says: 'A device key has one serial per model.',
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
    says: 'Everything acknowledged is in the database.',
    *find(history, truth) {
      const sessions = new Set(history.filter(acknowledged).flatMap(({ session }) => session ?? []))
      for (const session of sessions) {
        if (!truth.sessions.has(session)) yield `session ${session} was opened but is missing`
      }
      const stored = new Set(truth.devices.map(text))
      for (const device of new Set(registered(history).map(text))) {
        if (!stored.has(device)) yield `${device} was registered but is missing`
      }
      const waiting = new Set(
        history.flatMap(({ status, waits }) => (status === 202 && waits ? [waits] : [])),
      )
      for (const name of waiting) {
        if (!truth.requests.has(name)) yield `${name} was told to wait but is missing`
      }
    },
  },
  {
    name: 'job-item-once',
    says: 'Each change by a job has one audit log entry, and an outcome that agrees.',
    *find(_history, { jobs, decisions }) {
      for (const { id, over, done } of jobs) {
        const entries = decisions.filter(({ job }) => job === id).map(({ device }) => device)
        for (const device of new Set([...entries, ...done])) {
          const times = entries.filter((one) => one === device).length
          if (times !== 1 && done.includes(device)) {
            yield `the job ${id} reports ${device} as done, but has ${times} audit log entries for it`
          } else if (over && !done.includes(device)) {
            yield `the job ${id} has ${times} audit log entries for ${device}, but does not report it as done`
          }
        }
      }
    },
  },
  {
    name: 'job-kept',
    says: 'An acknowledged job is listed, and finishes.',
    *find(history, { jobStates }) {
      for (const { job } of history) {
        if (job === undefined) continue
        const state = jobStates.get(job)
        if (state === undefined) yield `the job ${job} was acknowledged but is missing`
        else if (state === 'queued' || state === 'running') yield `the job ${job} stays ${state}`
      }
    },
  },
  {
    name: 'repeat-once',
    says: 'A request repeated with its Idempotency-Key acts once.',
    find: (history) => usedTwice(history, ['make-job']),
  },
  {
    name: 'no-more-rights',
    says: 'Callers do only what their role allows, and an operator always remains.',
    *find(history, { operators }) {
      for (const seen of history) {
        if (seen.forbidden && seen.status >= 200 && seen.status < 300) yield `${show(seen)} was accepted`
      }
      if (operators?.size === 0) yield 'no operator is left'
    },
  },
  {
    name: 'audited',
    says: 'Every change has its entry in the audit log, and every entry its change.',
    find: (_history, { tables }) => unaudited(tables),
  },
  {
    name: 'import-whole',
    says: 'An import takes effect completely or not at all, and completely once it is acknowledged.',
    *find(history, { packages, imported }) {
      yield* imported
      for (const { imports, status } of history) {
        if (!imports) continue
        const there = imports.filter((name) => packages.has(name)).length
        const may = [
          ...(status === 200 ? [] : [0]),
          ...(status >= 400 && status < 500 ? [] : [imports.length]),
        ]
        if (!may.includes(there)) {
          yield `an import of ${imports.length} packages had the status ${status}, and ${there} of them are listed`
        }
      }
    },
  },
  {
    name: 'secret-rotated',
    says: 'A rotation of the secret key reseals every sealed value, or none.',
    find: (_history, { sealed }) => sealed,
  },
  {
    name: 'backup-whole',
    says: 'A restored backup has every row of every table.',
    find: (_history, { restored }) => restored,
  },
  {
    name: 'verify-agrees',
    says: '`ratafia verify` finds nothing wrong in the database.',
    find: (_history, { faults }) => faults,
  },
  {
    name: 'stays-good',
    says: 'Everything that got a 200 verifies later, on every node, until it is revoked.',
    *find(history, truth) {
      const ended = endings(history)
      // An unanswered revocation excuses a refusal only if the final state shows that it took effect.
      const mayHaveEnded = (subject: Subject, by: number) => {
        const { sent = Infinity, acknowledgedAt } = ended.get(subject) ?? {}
        return sent < by && (acknowledgedAt !== undefined || hasEnded(subject, truth))
      }
      for (const seen of history) {
        if (!seen.mustHold || seen.status < 400 || seen.status >= 500) continue
        const may = seen.uses?.some((subject) => mayHaveEnded(subject, seen.answered))
        if (!may) yield `${show(seen)} was refused with ${seen.status}: ${seen.detail ?? ''}`
      }
    },
  },
  {
    name: 'only-503',
    says: 'The only 5xx is 503.',
    *find(history) {
      for (const seen of history) {
        if (seen.status >= 500 && seen.status !== 503) {
          yield `${show(seen)} got a ${seen.status}: ${seen.detail ?? ''}`
        }
      }
    },
  },
  {
    name: 'serves-again',
    says: 'When a fault is over, every node serves, and none has stopped by itself.',
    *find(history, { lost }) {
      yield* lost
      for (const seen of history) {
        if (seen.final && (seen.status === 0 || seen.status >= 500)) {
          yield `after the fault, ${show(seen)} got ${seen.status === 0 ? 'no answer' : `a ${seen.status}`}`
        }
      }
    },
  },
  {
    name: 'logs-clean',
    says: 'Nodes log only what the fault explains: no error, and no failure except an unavailable database.',
    find: (_history, { logs }) => logs,
  },
  {
    name: 'resources-bounded',
    says: 'Once a node is idle again, its processes keep their memory and descriptors within limits.',
    find: (_history, { resources }) => resources,
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

/** Yields the requests accepted although one of their subjects was revoked more than `within` milliseconds before. */
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
  const uses = history.filter(({ kind, once }) => once && kinds.includes(kind))
  const pairs = (which: 'request' | 'result') =>
    uses.flatMap(({ once, status }) =>
      once && status >= 200 && status < 300 ? [[once.text, once[which]] as const] : [],
    )
  yield* moreThanOne(pairs('request'), 'requests')
  yield* moreThanOne(pairs('result'), 'results')
}

const show = ({ kind, where, sent, uses }: Seen): string =>
  `${kind}${uses ? ` (${uses.join(', ')})` : ''} sent to ${where} at ${ms(sent)}`
const ms = (time: number): string => `${Math.round(time)} ms`
