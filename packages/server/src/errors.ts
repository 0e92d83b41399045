/**
 * What an operation throws. Nothing here knows HTTP: `http/errors/translate.ts` alone turns these into refusals.
 * "It was refused" and "it could not be checked" are different classes, because the first is expected and
 * the second is alarming.
 */
import type { ErrorCode } from '@ratafia/api'

interface RefusalDetails {
  /** Goes to the client, beside code and message. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Goes to the log and never to the client. */
  readonly private?: string
  readonly cause?: unknown
}

/** The request was understood and refused. The message goes to the client: a sentence that says what to do. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: ErrorCode
  readonly extra: Readonly<Record<string, unknown>>
  readonly private: string | undefined

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.extra = details.extra ?? {}
    this.private = details.private
  }
}

/** Something the answer depends on (the database, the identity service) did not answer. The message is for the log. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}

/** The client sends more requests than it may; none of them was examined. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  /** Whole seconds, at least 1, until the next request may come. */
  readonly retryAfter: number
  /** Answer like a busy service, because this client tries again only then. */
  readonly asBusy: boolean

  /** `what` there is too much of; default: requests from the client's network. */
  constructor(
    waitMs: number,
    {
      asBusy = false,
      what = 'There are too many requests from your network.',
    }: { readonly asBusy?: boolean; readonly what?: string } = {},
  ) {
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
    const when = retryAfter === 1 ? 'in a second' : `in ${retryAfter} seconds`
    super(`${what} Try again ${when}.`)
    this.retryAfter = retryAfter
    this.asBusy = asBusy
  }
}

// The vocabulary of refusals: each constructor names the code, its caller writes the message.

/** The request is not of the form that the endpoint takes. */
export const invalidRequest = (message: string, details: RefusalDetails = {}): RequestError =>
  new RequestError('invalid-request', message, details)

/** The 401 of the tokens API; the identity service calls it `permission denied`. */
export const unauthorized = (message: string, details: RefusalDetails = {}): RequestError =>
  new RequestError('macaroon-authorization-required', message, details)

/** A field names something that does not exist, or has a value that is not allowed. `field` goes into `extra`. */
export const invalidField = (
  message: string,
  { field, ...details }: Omit<RefusalDetails, 'extra'> & { readonly field?: string } = {},
): RequestError =>
  new RequestError('invalid-field', message, field === undefined ? details : { ...details, extra: { field } })

/** What is wrong with one field, or with the request as a whole. */
export interface FieldProblem {
  readonly field: string | undefined
  readonly message: string
}

/** Several fields are wrong: the message has a line for each, `extra.problems` has them with their fields. */
export const invalidFields = (problems: readonly FieldProblem[]): RequestError => {
  const message = problems.map((problem) => problem.message).join('\n')
  const [first, ...others] = problems
  if (first && others.length === 0)
    return invalidField(message, first.field === undefined ? {} : { field: first.field })
  return new RequestError('invalid-field', message, { extra: { problems } })
}

/** The problems of a refusal that {@link invalidField} or {@link invalidFields} made. */
export const problemsIn = ({ message, extra: { field, problems } }: RequestError): readonly FieldProblem[] =>
  Array.isArray(problems) ? problems : [{ field: typeof field === 'string' ? field : undefined, message }]

/** Returns a function that reads a part and notes `invalid-field` in `problems` instead of throwing it. */
export const noting =
  (problems: FieldProblem[]) =>
  <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'invalid-field') throw error
      problems.push(...problemsIn(error))
      return undefined
    }
  }

/** There is no such record, or it is not for the caller to see: one sentence and one code for both. */
export const noSuchRecord = (message: string, record: { kind: string; id: string }): RequestError =>
  new RequestError('no-such-record', message, { extra: { ...record, id: record.id.slice(0, 200) } })

/** The record is not in a state in which this can be done. `extra` says what it is. */
export const stateConflict = (
  message: string,
  extra: Readonly<Record<string, string | null>> = {},
): RequestError => new RequestError('state-conflict', message, { extra })

/** Something else needs the record. `by` says what. */
export const stillReferenced = (
  message: string,
  extra: { readonly kind: string; readonly id: string; readonly by: string | readonly string[] },
): RequestError => new RequestError('still-referenced', message, { extra })

/** The assertions are valid, but the policy of the model refuses the device. */
export const registrationRefused = (message: string, details: RefusalDetails = {}): RequestError =>
  new RequestError('registration-refused', message, details)

/** The device gets no session: it is revoked, superseded or in quarantine. */
export const deviceRefused = (message: string, details: RefusalDetails = {}): RequestError =>
  new RequestError('device-refused', message, details)

/** A client's own text inside a message: shortened, and escaped as in JSON, with the controls that JSON leaves. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
