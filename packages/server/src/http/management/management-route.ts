/**
 * A route of the management API as a feature writes it, for HTTP (`management-routes.ts`) and for calls in this process
 * (`in-process.ts`): what it is asked and what it may answer.
 */
import type { FileBody, ManagementOperation } from '@ratafia/api/schemas'
import type { Static, TSchema } from 'typebox'
import type { Authority } from '../../authority.ts'
import type { Answer } from './repeatable.ts'

/** A request whose sender is known. */
export interface Asked<Operation extends ManagementOperation, Who extends Authority = Authority> {
  readonly authority: Who
  /** Of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: Operation['query'] extends TSchema ? Static<Operation['query']> : object
  readonly body:
    | (Operation['body'] extends TSchema ? Static<Operation['body']> : never)
    | (Operation['file'] extends FileBody ? Uint8Array : never)
  /** Of the body, without parameters. */
  readonly mediaType: string
  /** Whether the change is made and undone again. */
  readonly dryRun: boolean
  /**
   * Throws `version-mismatch` for a record that is not what the caller has seen, and for a `PATCH` that does not say what
   * that is, `version-required`. Absent: any will do.
   */
  readonly ifMatch?: (record: object) => void
  /** Seconds of `Prefer: wait` (RFC 7240): how long the answer may take. 0 if the header does not say. */
  readonly mayTake: number
  /** From now on the request waits, and is not work. Aborts when the client is gone. */
  readonly hold: () => AbortSignal
}

/** An answer with another status than the one of the operation, or with headers of its own. */
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

/** What is known of a request before its body is read: its address is not validated yet. */
export interface Unread<Who extends Authority = Authority> {
  readonly authority: Who
  /** From the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

export type RefuseUnread<Who extends Authority = Authority> = (unread: Unread<Who>) => Promise<void> | void

/**
 * Registers the route of an operation. `answer` is the record, the list, a {@link Reply} with one, or `Streamed`.
 * An operation that takes a file has `refuse`: it throws for callers without the permission, before their file is read.
 */
export type AddManagementRoute<Who extends Authority = Authority> = <
  const Operation extends ManagementOperation,
>(
  operation: Operation,
  answer: (asked: Asked<Operation, Who>) => Promise<object>,
  refuse?: RefuseUnread<Who>,
) => void
