/**
 * The operations of the management API for the console: the same functions behind the same schemas, called in this
 * process. So the console can do what the API can do, with the same checks, and shows the same records
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

/** What an operation is called with, beside who calls. */
export interface CalledWith<Operation extends ManagementOperation> {
  /** Of its path. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Texts are read as the schema says, as in an address; one that is undefined is absent. */
  readonly query?: Operation['query'] extends TSchema ? Written<Static<Operation['query']>> : never
  /** A field that is undefined is absent. */
  readonly body?: Operation['body'] extends TSchema ? Loosely<Static<Operation['body']>> : never
  /** Instead of a body, with the media type that says its format. */
  readonly file?: { readonly bytes: Uint8Array; readonly mediaType: string }
  /** The `ETag` of the record that the person has seen. */
  readonly ifMatch?: string | undefined
  readonly dryRun?: boolean
}

type Written<T> = { readonly [Name in keyof T]?: T[Name] | string | readonly string[] | undefined }
type Loosely<T> = T extends object
  ? { readonly [Name in keyof T]: undefined extends Partial<T>[Name] ? T[Name] | undefined : T[Name] }
  : T

/** What is streamed is no text yet. */
export type AnswerOf<Operation extends ManagementOperation> = Operation extends {
  readonly streams: readonly string[]
}
  ? object
  : Static<Operation['response']>

/** Throws what the operation throws, and `invalid-field` or `invalid-request` for what does not fit its schemas. */
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
      // Whoever calls it has the parts validated by the schemas of the very operation that `answer` is for.
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
        // The schema of the operation has been checked, or it takes a file.
        body: (file?.bytes ?? sent) as never,
        mediaType: file?.mediaType ?? 'application/json',
        ...(mustMatch && { ifMatch: mustMatch }),
        ...{ mayTake: 0, hold: () => new AbortController().signal },
      })
      // Tests of the API check that the answer of each operation fits its schema.
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

/** An absent body of an operation that needs none is `{}`, as over HTTP. */
const bodyAbsent = ({ body, bodyRequired }: ManagementOperation): unknown =>
  body && !bodyRequired ? {} : undefined

/** A field that is `undefined` is absent, as in JSON. */
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
