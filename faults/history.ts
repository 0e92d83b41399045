/** The history of a run: one entry per request and command of its clients and operators, in the order of answers. */
import type { Tables } from './world/tables.ts'

const KINDS = [
  'root',
  'discharge',
  'password-root',
  'password-discharge',
  'refresh-discharge',
  'export',
  'agent-login',
  'exchange',
  'whoami',
  'list',
  'revoke',
  'request-id',
  'register',
  'remodel',
  'nonce',
  'open',
  'refresh',
  'device-session',
  'revoke-session',
  'revoke-all',
  'revoke-device',
  'approve',
  'reject',
  'disable-account',
  'rotate-keys',
  'exchange-id-token',
  'refresh-issuer',
  'add-rule',
  'disable-rule',
  'remove-rule',
  'make-job',
  'console-page',
  'console-form',
  'add-grant',
  'remove-grant',
  'import',
  'backup',
] as const
export type Kind = (typeof KINDS)[number]

/**
 * Something that can be revoked: `session ID`, `account NAME`, `logins NAME/ERA` (logins that began in the era, see
 * `load/client.ts`), `device MODEL/SERIAL`, `request MODEL/KEY`, `rule NAME`, `issuer-key ID`, `grant NAME ROLE`.
 */
export type Subject = string

export interface DeviceSeen {
  readonly model: string
  /** The id of the device key. */
  readonly key: string
  readonly serial: string
}

export interface Seen {
  readonly kind: Kind
  /** The node that was asked, or `command`. */
  readonly where: string
  /** Milliseconds since the run began, monotonic: before the first byte was sent, and after the last was received. */
  readonly sent: number
  readonly answered: number
  /** The answer's status, or the status that corresponds to a command's exit code; 0 without an answer. */
  readonly status: number
  /** The message of a refusal or an error. */
  readonly detail?: string
  /** The subjects that must not be revoked for the request to be accepted. */
  readonly uses?: readonly Subject[]
  /** Whether a 4xx can only mean that one of `uses` is revoked. */
  readonly mustHold?: boolean
  /** Whether it was sent after all faults were over, so that it must be answered. */
  readonly final?: boolean
  /** The subject that it revokes. */
  readonly ends?: Subject
  /** The token session of an exchange, of a login or an ID token, or of a discharge for a password. */
  readonly session?: string
  /** The device in the answer to a registration or an approval. */
  readonly device?: DeviceSeen
  /** `MODEL/KEY` of a registration that, when answered 202, waits for the operator. */
  readonly waits?: string
  /** The id of the job that the answer names. */
  readonly job?: string
  /** The names of the packages that it imports. */
  readonly imports?: readonly string[]
  /** Whether its caller lacks the permission for it. */
  readonly forbidden?: boolean
  /** The nonce, request-id, ID token or Idempotency-Key used, for which request, and with what result. */
  readonly once?: { readonly text: string; readonly request: string; readonly result: string }
}

/** A job and the items that it reports as done. */
export interface JobSeen {
  readonly id: string
  /** Whether it had ended. */
  readonly over: boolean
  /** The ids of the devices whose outcome is `done`. */
  readonly done: readonly string[]
}

export const acknowledged = ({ status }: Seen): boolean => status === 200

/** The final state, which the service's own commands and the tables report when all faults are over. */
export interface Truth {
  /** Whether each token session is revoked, by its id. */
  readonly sessions: ReadonlyMap<string, boolean>
  /** Whether each account is disabled, by username. */
  readonly accounts: ReadonlyMap<string, boolean>
  /** The usernames of accounts whose logins were all revoked. */
  readonly ended: ReadonlySet<string>
  /** Holders of serials: active and revoked. */
  readonly devices: readonly (DeviceSeen & { readonly revoked: boolean })[]
  /** The status of everything in the register, by `MODEL/KEY`. */
  readonly requests: ReadonlyMap<string, string>
  /** All jobs of the management API. Their items were read before `decisions`. */
  readonly jobs: readonly JobSeen[]
  /** Approvals and imports by jobs, from the audit log. The device of an import is `file`. */
  readonly decisions: readonly { readonly job: string; readonly device: string }[]
  /** The state of each job, by its id. */
  readonly jobStates: ReadonlyMap<string, string>
  /** The names of the rules that are not disabled. */
  readonly rules: ReadonlySet<string>
  /** `NAME ROLE` of each grant. */
  readonly grants: ReadonlySet<string>
  /** The usernames of accounts with the role operator; undefined if no account ever had it. */
  readonly operators: ReadonlySet<string> | undefined
  /** The names in the package directory. */
  readonly packages: ReadonlySet<string>
  /** Everything in the database. */
  readonly tables: Tables
  /** Imports that wrote something too early, one sentence each; the following fields also contain sentences. */
  readonly imported: readonly string[]
  /** Values that a rotation of the secret key should have resealed, or should not have. */
  readonly sealed: readonly string[]
  /** Differences between a restored database and the original. */
  readonly restored: readonly string[]
  /** Lines that nodes should not have logged. */
  readonly logs: readonly string[]
  /** Processes that keep too much memory or too many descriptors. */
  readonly resources: readonly string[]
  /** Findings of `ratafia verify`. */
  readonly faults: readonly string[]
  /** Nodes that did not serve again or stopped by themselves. */
  readonly lost: readonly string[]
}

export interface Tally {
  readonly operations: number
  readonly acknowledged: number
  /** Answers with a 4xx. */
  readonly refused: number
  /** Answers with a 503. */
  readonly unavailable: number
  /** Requests without an answer. */
  readonly silent: number
}

export function tally(history: readonly Seen[]): Tally {
  const count = (which: (status: number) => boolean) => history.filter(({ status }) => which(status)).length
  return {
    operations: history.length,
    acknowledged: count((status) => status >= 200 && status < 300),
    refused: count((status) => status >= 400 && status < 500),
    unavailable: count((status) => status === 503),
    silent: count((status) => status === 0),
  }
}
