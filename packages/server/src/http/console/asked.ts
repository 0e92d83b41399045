/** A request of a user who is signed in to the console. */
import { randomBytes } from 'node:crypto'
import { MANAGEMENT_OPERATIONS, type ManagementOperation, type Me } from '@ratafia/api/schemas'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authority } from '../../authority.ts'
import { RequestError } from '../../errors.ts'
import type { FormState, Problem } from '../../web/console/form.ts'
import type { AnswerOf, CalledWith, CallManagement } from '../management/in-process.ts'
import { type Fields, queryFields } from './fields.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface ConsoleAsked<Who extends Authority = Authority> {
  readonly authority: Who
  readonly me: Me
  /** The parameters of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  /** The fields of the URL's query. */
  readonly query: Fields
  /** The fields that the form sends; for a page without a sent form, those of the query. */
  readonly fields: Fields
  /** The state of the page's forms. */
  readonly form: FormState
  readonly now: Date
  /** Calls an operation of the management API as this user. */
  readonly call: <const Operation extends ManagementOperation>(
    operation: Operation,
    called?: CalledWith<Operation>,
  ) => Promise<AnswerOf<Operation>>
  /** The browser's cookie: a secret. */
  readonly token: string
}

export interface AskedParts<Who extends Authority> {
  readonly cookie: SessionCookie
  /** Returns the user who has this cookie. Throws a 401, `TooManyRequests` or `Unavailable`. */
  readonly authenticate: (token: string, request: FastifyRequest) => Promise<Who>
  readonly call: CallManagement<Who>
  readonly clock: () => Date
}

/** No user is signed in, or not any more. */
export class SignedOut extends Error {
  override readonly name = 'SignedOut'
}

/** `sent`: the fields of the sent form. Throws {@link SignedOut}, `TooManyRequests` and `Unavailable`. */
export async function askedBy<Who extends Authority>(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Fields | undefined,
  { cookie, authenticate, call, clock }: AskedParts<Who>,
): Promise<ConsoleAsked<Who>> {
  const token = cookie.of(request)
  if (token === undefined) throw new SignedOut()
  const authority = await authenticate(token, request).catch((error: unknown) => {
    throw isUnauthorized(error) ? new SignedOut() : error
  })
  const query = queryFields(request.url)
  const fields = sent ?? query
  return {
    ...{ authority, query, fields, token, now: clock() },
    me: await call(authority, MANAGEMENT_OPERATIONS.me),
    // Fastify's parameters are strings.
    parameters: request.params as Readonly<Record<string, string>>,
    form: formState({ form: { csrf: reply.csrf() }, fields }),
    call: (operation, called) => call(authority, operation, called),
  }
}

/** Returns the same request, with the fields of its form. */
export const withFields = <Who extends Authority>(
  asked: ConsoleAsked<Who>,
  fields: Fields,
): ConsoleAsked<Who> => ({ ...asked, fields, form: formState({ ...asked, fields }) })

const isUnauthorized = (error: unknown): boolean =>
  error instanceof RequestError && error.code === 'macaroon-authorization-required'

/** `problems`: the reasons why the form is shown again. */
export const formState = (
  { form: { csrf }, fields }: { readonly form: Pick<FormState, 'csrf'>; readonly fields: Fields },
  problems: readonly Problem[] = [],
): FormState => ({
  csrf,
  once: randomBytes(16).toString('base64url'),
  ...{ fields, problems, isAgain: problems.length > 0 },
})
