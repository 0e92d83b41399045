/**
 * A route of the management API as a feature declares it, for HTTP (`management-routes.ts`) and for calls in
 * this process (`in-process.ts`): its arguments and possible answers.
 */
import type { FileBody, ManagementOperation } from '@ratafia/api/schemas'
import type { Static, TSchema } from 'typebox'
import type { Authority } from '../../authority.ts'
import type { Answer } from './repeatable.ts'

/** An authenticated request. */
export interface Asked<Operation extends ManagementOperation, Who extends Authority = Authority> {
  readonly authority: Who
  /** The parameters of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: Operation['query'] extends TSchema ? Static<Operation['query']> : object
  readonly body:
    | (Operation['body'] extends TSchema ? Static<Operation['body']> : never)
    | (Operation['file'] extends FileBody ? Uint8Array : never)
  /** The media type of the body, without parameters. */
  readonly mediaType: string
  /** Whether the change is rolled back after it is made. */
  readonly dryRun: boolean
  /**
   * Throws `version-mismatch` for a record other than the one that the caller has seen, and `version-required` for a
   * `PATCH` without a version. Absent if any version is accepted.
   */
  readonly ifMatch?: (record: object) => void
  /** The seconds of `Prefer: wait` (RFC 7240) that the answer can take; 0 without the header. */
  readonly mayTake: number
  /** Marks the request as waiting, which is not work. Aborts when the client is gone. */
  readonly hold: () => AbortSignal
}

/** Returns the check that `ifMatch` makes of a record, given what it shows; undefined if any version is accepted. */
export const seenAs = <Shown>(
  { ifMatch }: { readonly ifMatch?: (record: object) => void },
  record: (now: Shown) => object,
): ((now: Shown) => void) | undefined => ifMatch && ((now) => ifMatch(record(now)))

/** An answer with a status other than the operation's, or with its own headers. */
export class Reply {
  readonly record: object
  readonly status: number | undefined
  readonly headers: Answer['headers']

  constructor(
    record: object,
    { status, headers = {} }: { readonly status?: number; readonly headers?: Answer['headers'] },
  ) {
    this.record = record
    this.status = status
    this.headers = headers
  }
}

/** The known parts of a request before its body is read; its address is not validated yet. */
export interface Unread<Who extends Authority = Authority> {
  readonly authority: Who
  /** The parameters of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

export type RefuseUnread<Who extends Authority = Authority> = (unread: Unread<Who>) => Promise<void> | void

/**
 * Registers the route of an operation. `answer` returns the record, the list, a {@link Reply} with one, or
 * `Streamed`. An operation that accepts a file has `refuse`, which throws for callers without the permission,
 * before their file is read.
 */
export type AddManagementRoute<Who extends Authority = Authority> = <
  const Operation extends ManagementOperation,
>(
  operation: Operation,
  answer: (asked: Asked<Operation, Who>) => Promise<object>,
  refuse?: RefuseUnread<Who>,
) => void
