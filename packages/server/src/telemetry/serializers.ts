/** Formats requests and errors for the log: without headers, bodies, query strings and paths as sent by a client. */
import { plainPath } from './access-log.ts'

interface RequestLike {
  readonly method: string
  readonly url: string
  readonly client: { readonly address: string }
}

export const pinoHttpSerializers = {
  req: (request: RequestLike) => ({
    method: request.method,
    path: plainPath(request.url),
    address: request.client.address,
  }),
  res: (response: { readonly statusCode: number }) => ({ status: response.statusCode }),
  err: describeError,
}

/**
 * Returns an error for the log: type, code, message, stack and cause. Leaves out other properties, because drivers
 * attach queries with their parameters, and HTTP clients attach whole requests.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code } = error as Error & { code?: unknown }
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
