/** How the console shows an error: a refused browser gets a page, whatever was thrown. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { noteRefusal } from '../errors/answer.ts'
import { refusalOf } from '../errors/translate.ts'

export interface PageRefusal {
  readonly status: number
  readonly message: string
}

/** Notes the refusal and sets `Retry-After`. `bodyLimit` is in bytes. */
export function pageRefusal(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyLimit: number,
): PageRefusal {
  const refused = refusalOf(error, bodyLimit)
  noteRefusal(request, error, refused)
  const { message, retryAfter } = refused
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  // A 401 asks a program for credentials, so a person gets a 403.
  return { status: refused.status === 401 ? 403 : refused.status, message }
}
