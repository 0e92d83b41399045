/**
 * What commands work with: the operations of the management API, at a service over HTTP (`http-service.ts`) or on an
 * opened installation in this process (`start/operations/in-process-service.ts`).
 */
import type { MANAGEMENT_ROUTES } from '@ratafia/api/management'
import type { Clock } from '../../clock.ts'
import type { JsonObject } from '../../foreign-json.ts'

/** One of {@link MANAGEMENT_ROUTES}. */
export type ServiceOperation = (typeof MANAGEMENT_ROUTES)[keyof typeof MANAGEMENT_ROUTES]

export interface Asking {
  /** For `:id` in the path. */
  readonly id?: string
  /** For the other parameters of the path. */
  readonly names?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  readonly body?: object
  /** Instead of a body: a piece of a file. */
  readonly bytes?: Uint8Array
  /** The `ETag` of what the person saw. */
  readonly ifMatch?: string | undefined
}

export interface Found {
  readonly record: JsonObject
  readonly etag: string | undefined
}

export type AskingForMany = Asking & { readonly most: number }

/** Some records of a list. */
export interface ListPart {
  readonly records: readonly JsonObject[]
  /** Others follow. */
  readonly more: boolean
}

export interface Asked {
  /** For times that a command is given from now: the database's where it opens it. */
  readonly clock: Clock
  /** The address of the service, or which database, for people. */
  readonly url: string
  /** Throws `ServiceRefusal` with the code of the API, or what ends a command because something is away. */
  call(operation: ServiceOperation, asking?: Asking): Promise<Found>
  /** The lines of an answer that is sent while it is read. Throws as `call` does. */
  lines(operation: ServiceOperation, asking?: Asking): AsyncIterable<string>
  /**
   * Counts what an import of these files would change. Only on the database, where a dry run stores no job: a service
   * does it in one. Throws as `call` does.
   */
  readonly tryFile:
    | ((kind: string, options: object, paths: readonly string[]) => Promise<JsonObject>)
    | undefined
  /**
   * Runs `work`, and meanwhile the jobs, if no service does that, until `interrupted` aborts, which undoes an import that
   * has begun. Throws the errors of `work`.
   */
  meanwhile<T>(work: () => Promise<T>, interrupted?: AbortSignal): Promise<T>
}

export interface Service extends Asked {
  /** Page by page, until `most` records of the list `name` are there. Throws as `call` does. */
  pages(operation: ServiceOperation, name: string, asking: AskingForMany): AsyncIterable<ListPart>
  /** The same, together. */
  list(operation: ServiceOperation, name: string, asking: AskingForMany): Promise<ListPart>
}
