/**
 * Shared by all management API routes: the caller, their rate limit, the record's version they have seen, dry
 * runs, and repeated requests, which get their first answer. Routes of features deal with none of this.
 */
import {
  isChange,
  MANAGEMENT_PREFIX,
  type ManagementOperation,
  querySchemaOf,
  takesVersion,
} from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import type { TSchema } from 'typebox'
import type { Authority } from '../../authority.ts'
import { type BeforeBody, beforeBody } from '../bodies/before-body.ts'
import { fileLimit } from '../bodies/file-body.ts'
import { readJsonBodies } from '../bodies/json-body.ts'
import { clientGone } from '../client.ts'
import { etagOf, isKnown, matching } from './etag.ts'
import {
  type AddManagementRoute,
  type Asked,
  type RefuseUnread,
  Reply,
  type Unread,
} from './management-route.ts'
import { readQuery } from './query.ts'
import { type Answer, type AnswerOnce, repeatable } from './repeatable.ts'
import { Streamed, type StreamPlaces, sendStreamed } from './streamed.ts'

export interface ManagementHttp<Who extends Authority> {
  /** Throws a 401, `TooManyRequests` or `Unavailable`. */
  readonly authenticate: (request: FastifyRequest) => Promise<Who>
  readonly answerOnce: AnswerOnce
  /** The places for answers that are sent while they are read. */
  readonly places: StreamPlaces
}

/** Registers routes for callers with a management token. */
export function managementRoutes<Who extends Authority>(
  app: FastifyInstance,
  { authenticate, answerOnce, places }: ManagementHttp<Who>,
): AddManagementRoute<Who> {
  readJsonBodies(app)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    reply.header('vary', 'Authorization, Macaroons')
    done()
  })
  const authority: BeforeBody<Who> = beforeBody(authenticate)

  /** Does the same for a caller whom `refuse` allows to send a file. */
  const authorised = (refuse: RefuseUnread<Who>): BeforeBody<Who> =>
    beforeBody(async (request) => {
      const who = await authenticate(request)
      const { params, query } = request
      await refuse({
        ...{ authority: who, parameters: params as Unread['parameters'] },
        query: query as Unread['query'],
      })
      return who
    })

  const stream = async <Question extends { readonly authority: Who }>(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Question,
    answer: (asked: Question) => Promise<object>,
  ): Promise<FastifyReply> => {
    places.take(asked.authority.accountId ?? '', reply.raw)
    const value = await answer(asked)
    if (!(value instanceof Streamed)) throw new TypeError('the route streams nothing')
    return sendStreamed(request, reply, value)
  }

  return (operation, answer, refuse) => {
    const { method, body, file } = operation
    if (file && !refuse) throw new TypeError(`nothing refuses the file of ${method} ${operation.path} unread`)
    const query = querySchemaOf(operation)
    app.route({
      method,
      url: `${MANAGEMENT_PREFIX}${routerPath(operation)}`,
      // A file is not JSON, so a body that can be either is validated by its own hook.
      schema: { querystring: query, ...(body && !file && { body }) },
      ...(refuse
        ? { preParsing: authorised(refuse).preParsing, preValidation: readQuery(query) }
        : { preValidation: [authority.preValidation, readQuery(query)] }),
      preHandler: body && file ? validateJson(body) : [],
      config: { credentials: true, limit: 'management', ...(file && { file }) },
      // A streamed answer is read to its end even for a HEAD request.
      exposeHeadRoute: operation.streams === undefined,
      handler: async (request, reply) => {
        const asked = askedBy<typeof operation, Who>(request, reply, authority.resultOf(request), operation)
        if (operation.streams) return stream(request, reply, asked, answer)
        const work = async () => answered(await answer(asked), operation, asked.dryRun)
        const {
          status: code,
          headers,
          body: text,
        } = await (!isChange(operation) || asked.dryRun || (file && !body)
          ? work()
          : repeatable(request, asked.authority, { answerOnce, secret: operation.secret }, work))
        return send(request, reply, { status: code, headers, body: text })
      },
    })
  }
}

/** Returns the path for the router: another operation's path is not an id of this one, in any method. */
const routerPath = ({ path, exceptIds = [] }: ManagementOperation): string =>
  exceptIds.length === 0 ? path : `${path}(^(?!(?:${exceptIds.join('|')})$).*)`

/** Validates a body that is not a file, as Fastify does. */
const validateJson =
  (schema: TSchema): preHandlerHookHandler =>
  (request, _reply, done) => {
    if (fileLimit(request) !== undefined) return done()
    const validate = request.getValidationFunction(schema) ?? request.compileValidationSchema(schema)
    if (validate(request.body)) return done()
    const { errors: validation } = validate
    const code = 'FST_ERR_VALIDATION'
    done(
      Object.assign(new Error('the body'), { code, statusCode: 400, validation, validationContext: 'body' }),
    )
  }

function answered(value: object | Reply, operation: ManagementOperation, dryRun: boolean): Answer {
  const { record, status, headers } = value instanceof Reply ? value : new Reply(value, {})
  const { path, status: usual = 200, record: isRecord, location } = operation
  const hasAddress = location && !dryRun && 'id' in record
  return {
    status: status ?? usual,
    headers: {
      ...headers,
      ...(hasAddress && { location: `${MANAGEMENT_PREFIX}${path}/${record.id}` }),
      ...(isRecord && { etag: etagOf(record) }),
      ...(dryRun && { 'ratafia-dry-run': 'true' }),
    },
    body: JSON.stringify(record),
  }
}

/** Fastify has validated the parts by the operation's schemas, so the casts are safe. */
function askedBy<Operation extends ManagementOperation, Who extends Authority>(
  request: FastifyRequest,
  reply: FastifyReply,
  authority: Who,
  operation: Operation,
): Asked<Operation, Who> {
  const { dry_run: dryRun = false, ...query } = request.query as Asked<Operation>['query'] & {
    readonly dry_run?: boolean
  }
  const ifMatch = matching(request.headers['if-match'], takesVersion(operation))
  return {
    authority,
    parameters: request.params as Readonly<Record<string, string>>,
    query: query as Asked<Operation>['query'],
    body: request.body as Asked<Operation>['body'],
    mediaType: (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    dryRun,
    ...(ifMatch && { ifMatch }),
    mayTake: waitIn(request.headers['prefer']),
    hold: () => {
      reply.hold()
      return clientGone(reply)
    },
  }
}

/** An unreadable value is not a preference (RFC 7240, section 2). */
function waitIn(prefer: string | readonly string[] | undefined): number {
  const [, seconds = '0'] =
    /(?:^|[,;])\s*wait\s*=\s*"?([0-9]{1,4})"?\s*(?:$|[,;])/i.exec([prefer ?? ''].flat().join(',')) ?? []
  return Number(seconds)
}

function send({ method, headers: asked }: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  const { status, headers, body } = answer
  reply.headers(headers)
  const { etag } = headers
  if (method === 'GET' && etag !== undefined && isKnown(asked['if-none-match'], etag)) {
    return reply.code(304).send()
  }
  return reply.code(status).type('application/json').send(body)
}
