/** Bodies that are files, of routes whose other bodies may be JSON. */
import type { FileBody } from '@ratafia/api/schemas'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file. */
    file?: Pick<FileBody, 'bytes' | 'onlyWith'>
  }
}

/** The bytes that the body may have as a file; undefined if it is none. */
export function fileLimit({ routeOptions, query }: FastifyRequest): number | undefined {
  const { file } = routeOptions.config
  if (!file) return undefined
  const { bytes, onlyWith } = file
  return onlyWith === undefined || Object.hasOwn(query as object, onlyWith) ? bytes : undefined
}
