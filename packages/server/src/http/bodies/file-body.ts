/** Bodies that are files, on routes that may also accept JSON. */
import type { FileBody } from '@ratafia/api/schemas'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The limits of the body, if it is a file. */
    file?: Pick<FileBody, 'bytes' | 'onlyWith'>
  }
}

/** Returns the maximum size of the body as a file, in bytes; undefined if it is not a file. */
export function fileLimit({ routeOptions, query }: FastifyRequest): number | undefined {
  const { file } = routeOptions.config
  if (!file) return undefined
  const { bytes, onlyWith } = file
  return onlyWith === undefined || Object.hasOwn(query as object, onlyWith) ? bytes : undefined
}
