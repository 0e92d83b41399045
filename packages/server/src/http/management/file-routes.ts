/**
 * Answers of the management API that are files: sent as they are read, in bounded memory (contract/administration.md,
 * A18). They have no length, so one that breaks off is no whole file.
 */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { MANAGEMENT_PREFIX, type ManagementOperation } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import type { Authority } from '../../authority.ts'
import { TooManyRequests } from '../../errors.ts'
import { beforeBody } from '../bodies/before-body.ts'
import { type Asked, askedBy, type ManagementHttp } from './management-routes.ts'
import { readQuery } from './query.ts'

export interface ManagementFile {
  /** Media type. */
  readonly type: string
  readonly name: string
  readonly text: AsyncIterable<string>
}

/** Registers the route of an operation that answers with a file. */
export type AddManagementFile<Who extends Authority = Authority> = <
  const Operation extends ManagementOperation,
>(
  operation: Operation,
  answer: (asked: Asked<Operation, Who>) => Promise<ManagementFile>,
) => void

/** Of one account in this process. */
const MOST_AT_ONCE = 2
const WAIT_MS = 10_000

export function managementFiles<Who extends Authority>(
  app: FastifyInstance,
  { authenticate }: Pick<ManagementHttp<Who>, 'authenticate'>,
): AddManagementFile<Who> {
  const authority = beforeBody<Who>(authenticate)
  const under = new Map<string | undefined, number>()

  /** Returns what gives the place back. Throws {@link TooManyRequests}. */
  const takePlace = ({ accountId }: Who): (() => void) => {
    const others = under.get(accountId) ?? 0
    if (others >= MOST_AT_ONCE) {
      throw new TooManyRequests(WAIT_MS, { what: 'Your account has two exports under way.' })
    }
    under.set(accountId, others + 1)
    return once(() => {
      const left = (under.get(accountId) ?? 1) - 1
      if (left === 0) under.delete(accountId)
      else under.set(accountId, left)
    })
  }

  return (operation, answer) => {
    const { path, query } = operation
    app.route({
      method: 'GET',
      url: `${MANAGEMENT_PREFIX}${path}`,
      // Whoever asks for the headers alone does not want a register to be read.
      exposeHeadRoute: false,
      schema: { ...(query && { querystring: query }) },
      preValidation: [authority.preValidation, readQuery(query ?? {})],
      config: { credentials: true, limit: 'management' },
      handler: async (request, reply) => {
        const who = authority.resultOf(request)
        const leave = takePlace(who)
        try {
          const { type, name, text } = await answer(
            askedBy<typeof operation, Who>(request, reply, who, operation),
          )
          const rows = Readable.from(text)
          rows.once('close', leave)
          reply.header('content-disposition', `attachment; filename="${name}"`).type(type)
          if (!takesGzip(request.headers['accept-encoding'])) return reply.send(rows)
          // An error of the rows ends the answer, too.
          return reply.header('content-encoding', 'gzip').send(pipeline(rows, createGzip(), () => {}))
        } catch (error) {
          leave()
          throw error
        }
      },
    })
  }
}

const takesGzip = (header: string | undefined): boolean =>
  (header ?? '')
    .split(',')
    .some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding))

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
