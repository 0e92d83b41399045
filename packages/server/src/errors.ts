/**
 * The errors that operations throw, and that of a supervisor. Nothing here knows HTTP: only `http/errors/translate.ts`
 * turns these into refusals. "It was refused" and "it could not be checked" are different classes, because the first is
 * expected and the second is alarming.
 */
import type { ErrorCode } from '@ratafia/api'

interface RefusalDetails {
  /** Sent to the client, next to code and message. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Written to the log, and never sent to the client. */
  readonly private?: string
  readonly cause?: unknown
}

/** The request was understood and refused. The client gets the message: a sentence with the remedy. */
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

/** Something that the answer depends on (the database, the identity service) failed. The message is for the log. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}

/** The client sends more requests than allowed; none of them was examined. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests'
  /** Whole seconds, at least 1, until the client can send the next request. */
  readonly retryAfter: number
  /** Whether to answer like a busy service, because this client waits only then. */
  readonly asBusy: boolean

  /** `what` is the sentence about what there is too much of; default: requests from the client's network. */
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

/** Thrown by a supervisor that gives up because its workers keep failing. The log has the reason. */
export class WorkersFailed extends Error {
  override readonly name = 'WorkersFailed'
  readonly exitCode: number
  /** Whether a worker has already printed the reason. */
  readonly told: boolean

  constructor(message: string, exitCode: number, told = false) {
    super(message)
    this.exitCode = exitCode
    this.told = told
  }
}

// The vocabulary of refusals: each constructor sets the code, and its caller writes the message.

/** The request does not have the form that the endpoint accepts. */
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

/** A problem with one field, or with the request as a whole. */
export interface FieldProblem {
  readonly field: string | undefined
  readonly message: string
}

/** Several fields are wrong: the message has a line for each, and `extra.problems` lists them with their fields. */
export const invalidFields = (problems: readonly FieldProblem[]): RequestError => {
  const message = problems.map((problem) => problem.message).join('\n')
  const [first, ...others] = problems
  if (first && others.length === 0)
    return invalidField(message, first.field === undefined ? {} : { field: first.field })
  return new RequestError('invalid-field', message, { extra: { problems } })
}

/** Returns the problems of a refusal from {@link invalidField} or {@link invalidFields}. */
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

/** There is no such record, or the caller cannot see it: one sentence and one code for both. */
export const noSuchRecord = (
  message: string,
  record: { kind: string; id: string; field?: string },
): RequestError =>
  new RequestError('no-such-record', message, { extra: { ...record, id: record.id.slice(0, 200) } })

/** The record's state does not allow this. `extra` has the state. */
export const stateConflict = (
  message: string,
  extra: Readonly<Record<string, string | null>> = {},
): RequestError => new RequestError('state-conflict', message, { extra })

/** Something else needs the record. `by` names it. */
export const stillReferenced = (
  message: string,
  extra: { readonly kind: string; readonly id: string; readonly by: string | readonly string[] },
): RequestError => new RequestError('still-referenced', message, { extra })

/** The assertions are valid, but the policy of the model refuses the device. */
export const registrationRefused = (message: string, details: RefusalDetails = {}): RequestError =>
  new RequestError('registration-refused', message, details)

/** The device cannot open a session: it is revoked, superseded or in quarantine. */
export const deviceRefused = (message: string, details: RefusalDetails = {}): RequestError =>
  new RequestError('device-refused', message, details)

/** Quotes a client's own text in a message: shortened, and escaped as in JSON, with the controls that JSON leaves. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
