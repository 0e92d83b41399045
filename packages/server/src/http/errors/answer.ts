/** Writes refusals: as the reply of a route, as a Node response, and to a bare socket. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode, OAuthError, OAuthErrorCode } from '@ratafia/api'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { RequestError, TooManyRequests } from '../../errors.ts'
import { STATUS_CODES } from '../../node-http.ts'
import { fileLimit } from '../bodies/file-body.ts'
import { errorBody, headersOf, type Refusal } from './refusal.ts'
import { refusalOf } from './translate.ts'

/** Codes that have a different name in OAuth; all others are `invalid_request`. */
const CODES: ReadonlyMap<ErrorCode, OAuthErrorCode> = new Map<ErrorCode, OAuthErrorCode>([
  ['invalid-grant', 'invalid_grant'],
  ['invalid-scope', 'invalid_scope'],
  ['invalid-target', 'invalid_target'],
  ['unsupported-grant-type', 'unsupported_grant_type'],
  ['too-many-requests', 'slow_down'],
  ['service-unavailable', 'temporarily_unavailable'],
  ['internal-error', 'server_error'],
])

const oauthErrorBody = (refused: Refusal): OAuthError => ({
  error: CODES.get(refused.code) ?? 'invalid_request',
  error_description: descriptionOf(refused.message),
  ...errorBody(refused),
})

/** Returns the message in the characters that the description allows: only ASCII, no quotation marks or backslash. */
const descriptionOf = (message: string): string => message.replaceAll('"', "'").replace(/[^ !#-[\]-~]/gu, '?')

/** Fastify's error handler for the API. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  sendRefusal(reply, refusalNoted(error, request))
}

/** Does the same with the message as `title`, which is all that surl shows. */
export function answerTitledError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refused = refusalNoted(error, request)
  send(reply, refused, JSON.stringify({ title: refused.message, ...errorBody(refused) }))
}

/** Does the same for OAuth clients. */
export function answerOAuthError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refused = refusalNoted(error, request)
  send(reply, refused, JSON.stringify(oauthErrorBody(refused)))
}

function refusalNoted(error: FastifyError | Error, request: FastifyRequest): Refusal {
  const refused = refusalOf(error, fileLimit(request) ?? request.routeOptions.bodyLimit)
  // Monitoring must distinguish rate limiting from an outage, even where clients get the same answer.
  noteRefusal(request, error, {
    status: refused.status,
    code: error instanceof TooManyRequests ? 'too-many-requests' : refused.code,
  })
  return refused
}

/** Logs a refusal and notes its `code` for metrics, traces and the request's log line. */
export function noteRefusal(
  request: FastifyRequest,
  error: unknown,
  { status, code }: { readonly status: number; readonly code: string },
): void {
  request.refusal = code
  if (status === 500) request.log.error({ err: error }, 'fault')
  else if (status === 503 && !(error instanceof TooManyRequests))
    request.log.warn({ err: error }, 'could not check')
  else {
    const detail = error instanceof RequestError ? error.private : undefined
    request.log.debug({ refusal: code, detail }, 'refused')
  }
}

export const sendRefusal = (reply: FastifyReply, refused: Refusal): FastifyReply =>
  send(reply, refused, textOf(refused))

/** Sends bytes, because Fastify does not add a charset to them. */
const send = (reply: FastifyReply, refused: Refusal, body: string): FastifyReply =>
  reply.status(refused.status).headers(headersOf(refused)).send(Buffer.from(body))

/** Answers a request that does not reach Fastify. Node omits the body of an answer to HEAD. */
export function writeRefusal(response: ServerResponse, refused: Refusal): void {
  const body = textOf(refused)
  response.writeHead(refused.status, headersWithLength(refused, body)).end(body)
}

/** Answers a connection before any request was read, and closes our side of it. */
export function endWithRefusal(socket: Socket, refused: Refusal): void {
  const body = textOf(refused)
  const headers = Object.entries(headersWithLength(refused, body)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.end(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n${headers.join('')}\r\n${body}`)
}

const textOf = (refused: Refusal): string => JSON.stringify(errorBody(refused))

const headersWithLength = (refused: Refusal, body: string): Record<string, string> => ({
  ...headersOf(refused),
  'content-length': String(Buffer.byteLength(body)),
})
