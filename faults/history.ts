/** What clients and operators of a run saw: one entry for each request and each command, in the order of answers. */

export const KINDS = [
  'root',
  'discharge',
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
  'revoke-device',
  'approve',
  'reject',
  'disable-account',
  'rotate-keys',
] as const
export type Kind = (typeof KINDS)[number]

/** What can be ended, as a text: `session ID`, `account NAME`, `device MODEL/SERIAL`, `request MODEL/KEY`. */
export type Subject = string

export interface DeviceSeen {
  readonly model: string
  /** The id of the device key. */
  readonly key: string
  readonly serial: string
}

export interface Seen {
  readonly kind: Kind
  /** Of which node it was asked, or `command`. */
  readonly where: string
  /** Milliseconds since the run began, monotonic: before the first byte was written, and when the last had come. */
  readonly sent: number
  readonly answered: number
  /** The status of the answer, that which a command's exit code stands for, or 0 where none came. */
  readonly status: number
  /** What a refusal or an error said. */
  readonly detail?: string
  /** What has to be in force for this to be accepted. */
  readonly uses?: readonly Subject[]
  /** An answer of 4xx says that one of `uses` does not hold, and nothing else can be wrong. */
  readonly mustHold?: boolean
  /** Asked when all faults were over: it has to be answered. */
  readonly final?: boolean
  /** What it revokes. */
  readonly ends?: Subject
  /** The session of tokens that an exchange was for. */
  readonly session?: string
  /** The device that a registration was answered with, or an approval. */
  readonly device?: DeviceSeen
  /** `MODEL/KEY` of a registration that waits for the operator where it is answered 202. */
  readonly waits?: string
  /** A nonce or request-id: for which request, and what came of it. */
  readonly once?: { readonly text: string; readonly request: string; readonly result: string }
}

export const acknowledged = ({ status }: Seen): boolean => status === 200

/** What the service says itself, by its commands, when all faults are over. */
export interface Truth {
  /** Session ids of tokens, to whether they are revoked. */
  readonly sessions: ReadonlyMap<string, boolean>
  /** Usernames, to whether they are disabled. */
  readonly accounts: ReadonlyMap<string, boolean>
  /** Holders of serials: active and revoked. */
  readonly devices: readonly (DeviceSeen & { readonly revoked: boolean })[]
  /** `MODEL/KEY` of everything in the register, to its status. */
  readonly requests: ReadonlyMap<string, string>
  /** What `ratafia verify` finds wrong, in sentences. */
  readonly faults: readonly string[]
  /** What did not come back, or ended by itself, in sentences. */
  readonly lost: readonly string[]
}

export interface Tally {
  readonly operations: number
  readonly acknowledged: number
  /** 4xx. */
  readonly refused: number
  /** 503. */
  readonly unavailable: number
  /** No answer at all. */
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
