/**
 * The interface that commands use: the operations of the management API, on a service over HTTP (`http-service.ts`) or
 * on an opened installation in this process (`start/operations/in-process-service.ts`).
 */
import type { MANAGEMENT_ROUTES } from '@ratafia/api/management'
import type { Clock } from '../../clock.ts'
import type { JsonObject } from '../../foreign-json.ts'

/** One of {@link MANAGEMENT_ROUTES}. */
export type ServiceOperation = (typeof MANAGEMENT_ROUTES)[keyof typeof MANAGEMENT_ROUTES]

export interface Asking {
  /** The value of `:id` in the path. */
  readonly id?: string
  /** The values of the path's other parameters. */
  readonly names?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  readonly body?: object
  /** A part of a file, instead of a body. */
  readonly bytes?: Uint8Array
  /** The `ETag` of the record that the user saw. */
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
  /** Whether more records follow. */
  readonly more: boolean
}

export interface Asked {
  /** The clock for times relative to now: the database's if the command opens it. */
  readonly clock: Clock
  /** The address of the service, or a description of the database, for people. */
  readonly url: string
  /** Throws `ServiceRefusal` with the API's code, or `ServiceAway` or `Unavailable` if something does not answer. */
  call(operation: ServiceOperation, asking?: Asking): Promise<Found>
  /** Returns the lines of an answer while it is still being sent. Throws as `call` does. */
  lines(operation: ServiceOperation, asking?: Asking): AsyncIterable<string>
  /**
   * Counts what an import of these files would change. Defined only on the database, where a dry run is not a
   * job; a service runs it as one. Throws as `call` does.
   */
  readonly tryFile:
    | ((kind: string, options: object, paths: readonly string[]) => Promise<JsonObject>)
    | undefined
  /**
   * Runs `work` and, if no service does it, the jobs meanwhile, until `interrupted` aborts. Aborting undoes
   * an import that has begun. Throws the errors of `work`.
   */
  meanwhile<T>(work: () => Promise<T>, interrupted?: AbortSignal): Promise<T>
}

export interface Service extends Asked {
  /** Returns only the record that {@link Asked.call} finds. */
  recordOf(operation: ServiceOperation, asking?: Asking): Promise<JsonObject>
  /** Yields pages of the list `name`, until `most` records. Throws as `call` does. */
  pages(operation: ServiceOperation, name: string, asking: AskingForMany): AsyncIterable<ListPart>
  /** Returns the same records together. */
  list(operation: ServiceOperation, name: string, asking: AskingForMany): Promise<ListPart>
}
