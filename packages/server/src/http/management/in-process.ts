/**
 * The operations of the management API for the console: the same functions behind the same schemas, called in
 * this process. So the console can do what the API can, with the same checks, and shows the same records
 * (contract/administration.md, A3 and A4).
 */
import { isChange, type ManagementOperation, querySchemaOf, takesVersion } from '@ratafia/api/schemas'
import type { Static, TSchema } from 'typebox'
import type { Authority } from '../../authority.ts'
import { RequestError } from '../../errors.ts'
import { describeFindings } from '../errors/schema-refusal.ts'
import { schemaCompilers } from '../schema-compilers.ts'
import { matching } from './etag.ts'
import { type AddManagementRoute, type Asked, Reply } from './management-route.ts'
import { readParameters } from './query.ts'

/** The arguments of an operation besides its caller. */
export interface CalledWith<Operation extends ManagementOperation> {
  /** The parameters of its path. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Strings are read by the schema, as in a URL; an undefined one is absent. */
  readonly query?: Operation['query'] extends TSchema ? Written<Static<Operation['query']>> : never
  /** An undefined field is absent. */
  readonly body?: Operation['body'] extends TSchema ? Loosely<Static<Operation['body']>> : never
  /** Replaces the body; the media type gives its format. */
  readonly file?: { readonly bytes: Uint8Array; readonly mediaType: string }
  /** The `ETag` of the record that the user has seen. */
  readonly ifMatch?: string | undefined
  readonly dryRun?: boolean
}

type Written<T> = { readonly [Name in keyof T]?: T[Name] | string | readonly string[] | undefined }
type Loosely<T> = T extends object
  ? { readonly [Name in keyof T]: undefined extends Partial<T>[Name] ? T[Name] | undefined : T[Name] }
  : T

/** A streamed answer has not been serialised yet. */
export type AnswerOf<Operation extends ManagementOperation> = Operation extends {
  readonly streams: readonly string[]
}
  ? object
  : Static<Operation['response']>

/** Throws what the operation throws, and `invalid-field` or `invalid-request` for what its schemas do not allow. */
export type CallManagement<Who extends Authority = Authority> = <const Operation extends ManagementOperation>(
  authority: Who,
  operation: Operation,
  called?: CalledWith<Operation>,
) => Promise<AnswerOf<Operation>>

export interface ManagementInProcess<Who extends Authority> {
  readonly add: AddManagementRoute<Who>
  readonly call: CallManagement<Who>
}

/** `requiresVersion`: refuse a change without the version of its record, as over HTTP. Default: accept any. */
export function managementInProcess<Who extends Authority>({
  requiresVersion = false,
} = {}): ManagementInProcess<Who> {
  const answers = new Map<string, (asked: Asked<ManagementOperation, Who>) => Promise<object>>()
  return {
    add: (operation, answer) => {
      // Callers validate the request by this operation's schemas first.
      answers.set(nameOf(operation), answer as (asked: Asked<ManagementOperation, Who>) => Promise<object>)
    },
    call: async <const Operation extends ManagementOperation>(
      authority: Who,
      operation: Operation,
      { parameters = {}, query = {}, body, file, ifMatch, dryRun = false }: LooselyCalled = {},
    ) => {
      const answer = answers.get(nameOf(operation))
      if (!answer) throw new TypeError(`${nameOf(operation)} is not served`)
      const querySchema = querySchemaOf(operation)
      const asked = readParameters(withoutAbsent(query) as Record<string, unknown>, querySchema.properties)
      validate('query', querySchema, asked)
      const sent = body === undefined ? bodyAbsent(operation) : withoutAbsent(body)
      if (operation.body && !file) validate('body', operation.body, sent)
      const mustMatch = matching(ifMatch, requiresVersion && takesVersion(operation))
      const record = await answer({
        ...{ authority, parameters, query: asked, dryRun: dryRun && isChange(operation) },
        // The operation's schema has been checked, or the body is a file.
        body: (file?.bytes ?? sent) as never,
        mediaType: file?.mediaType ?? 'application/json',
        ...(mustMatch && { ifMatch: mustMatch }),
        ...{ mayTake: 0, hold: () => new AbortController().signal },
      })
      // Tests of the API check that each operation's answer fits its schema.
      return (record instanceof Reply ? record.record : record) as AnswerOf<Operation>
    },
  }
}

interface LooselyCalled {
  readonly parameters?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
  readonly file?: { readonly bytes: Uint8Array; readonly mediaType: string }
  readonly ifMatch?: string | undefined
  readonly dryRun?: boolean
}

const nameOf = ({ method, path }: ManagementOperation): string => `${method} ${path}`

/** An absent body is `{}` for an operation that does not require one, as over HTTP. */
const bodyAbsent = ({ body, bodyRequired }: ManagementOperation): unknown =>
  body && !bodyRequired ? {} : undefined

/** Removes undefined fields, which are absent in JSON. */
const withoutAbsent = <T>(value: T): T =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T)
    : value

const compile = schemaCompilers.buildValidator()
const validators = new WeakMap<TSchema, ReturnType<typeof compile>>()

function validate(where: 'body' | 'query', schema: TSchema, value: unknown): void {
  const validator = validators.get(schema) ?? compile({ schema })
  validators.set(schema, validator)
  if (validator(value)) return
  const { field, message } = describeFindings(where, validator.errors ?? [])
  throw new RequestError(field === where ? 'invalid-request' : 'invalid-field', message, { extra: { field } })
}
