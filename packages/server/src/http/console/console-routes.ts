/**
 * Shared by all routes of the console (contract/administration.md, C1 to C9): the signed-in user, forms that
 * act only once and only from our own pages, refusals as pages, secrets that are shown once. Individual
 * routes deal with none of this.
 */
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authority } from '../../authority.ts'
import { RequestError, TooManyRequests } from '../../errors.ts'
import { errorPage, sentBeforePage, signedOutPage } from '../../web/console/error-pages.ts'
import { type ConsoleContent, consolePage } from '../../web/console/layout.ts'
import { CONFIRMED } from '../../web/words/en/sign-in.ts'
import { words } from '../../web/words/en.ts'
import { pathOf } from '../app.ts'
import { beforeBody } from '../bodies/before-body.ts'
import { fileLimit } from '../bodies/file-body.ts'
import { bodyParser } from '../bodies/read-body.ts'
import { isFromOtherSite } from '../browsers/csrf.ts'
import { seeOther } from '../browsers/see-other.ts'
import { answerError, noteRefusal } from '../errors/answer.ts'
import { OutsideNetworks } from '../limits/only-from.ts'
import type { AnswerOnce } from '../management/repeatable.ts'
import { Streamed, type StreamPlaces, sendStreamed } from '../management/streamed.ts'
import { type AskedParts, askedBy, type ConsoleAsked, formState, SignedOut, withFields } from './asked.ts'
import { askToSignInBeforeTyping } from './before-typing.ts'
import { type Fields, fieldsIn, MOST_FIELDS, NO_FIELDS, queryFields } from './fields.ts'
import { consoleFrames, sendConsolePage, sendText } from './frames.ts'
import { FormRefused, problemsOf } from './problem.ts'
import { pageRefusal } from './refusal.ts'
import { readUploads, type SentFile, type Upload, uploadIn } from './upload.ts'

/** The answer to a form that succeeded: another page, and the notice to show there. */
export class GoTo {
  /** The path from the root of the service, such as `/console/tokens`. */
  readonly path: string
  readonly notice: string | undefined

  constructor(path: string, notice?: string) {
    this.path = path
    this.notice = notice
  }
}

export interface ConsoleForm<Who extends Authority> {
  /** Shows the page with the form. A refused form is shown again with its problems. */
  readonly show: (asked: ConsoleAsked<Who>) => Promise<ConsoleContent>
  /** Processes the form. If it returns a page instead of {@link GoTo}, the page has a secret and is shown once. */
  readonly send: (asked: ConsoleAsked<Who>, file?: SentFile) => Promise<GoTo | ConsoleContent>
  /** The limits of a form with a file, which is sent as `multipart/form-data`. */
  readonly file?: {
    /** The maximum size of the form in bytes. */
    readonly bytes: number
    /** Throws for users without the permission, before the form is shown and before a sent form is read. */
    readonly refuse: (asked: ConsoleAsked<Who>) => Promise<void> | void
  }
  /**
   * The form requires a recent sign-in of a person: users are asked before it is shown (B10), with the reason
   * that `CONFIRMED` has for its path.
   */
  readonly isRecent?: boolean
  /** The names of its fields, by the operation's names, where the two differ. */
  readonly fieldNames?: Readonly<Record<string, string>>
  /** The form only reads, so sending it again is harmless; a function decides per submission (for previews). */
  readonly onlyReads?: boolean | ((fields: Fields) => boolean)
}

/** Paths are below `/console`, with `:name` for a parameter. */
export interface ConsoleRoutes<Who extends Authority = Authority> {
  page(path: string, show: (asked: ConsoleAsked<Who>) => Promise<ConsoleContent | GoTo>): void
  /** Adds a page whose form is sent to its own address. */
  form(path: string, form: ConsoleForm<Who>): void
  /** Adds an answer that browsers save as a file. */
  file(path: string, stream: (asked: ConsoleAsked<Who>) => Promise<object>): void
}

/** The reason for a new sign-in. */
export interface SignInAgain {
  readonly authority: Authority
  /** Where to go afterwards, from the root of the service. */
  readonly path: string
  /** The fields of the sent form; undefined if only a page was requested. */
  readonly fields: Fields | undefined
}

export interface ConsoleHttp<Who extends Authority> extends AskedParts<Who> {
  readonly baseUrl: string
  /** Shown next to the name of the software. */
  readonly name: string
  readonly answerOnce: AnswerOnce
  /** Returns where users sign in again, from the root of the service; what they sent is kept for them. */
  readonly signInAgain: (again: SignInAgain, reply: FastifyReply) => Promise<string>
  readonly places: StreamPlaces
}

/** Long enough for an accidental reload (A12, C6). */
const SECRET_SHOWN_MS = 10 * 60_000
const ONCE = /^[A-Za-z0-9_-]{22}$/
const BODY_LIMIT = 64 * 1024

const OPTIONS = { config: { limit: 'management', anyQuery: true } } as const

/** Registers pages for signed-in users. `app` is for these pages alone, and has the cookie plugin. */
export function consoleRoutes<Who extends Authority>(
  app: FastifyInstance,
  http: ConsoleHttp<Who>,
): ConsoleRoutes<Who> {
  const frames = consoleFrames(http)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    bodyParser({ limit: BODY_LIMIT, parse: (body) => body.toString('utf8') }),
  )
  app.setErrorHandler(refuse)
  app.all('/console/*', {
    ...OPTIONS,
    onRequest: (_request, _reply, done) => done(new RequestError('not-found', words.errors.noPage)),
    // The hook has already answered.
    handler: async () => undefined,
  })

  const redirect = (reply: FastifyReply, path: string): FastifyReply =>
    seeOther(reply, `${pathOf(http.baseUrl)}${path}`)

  const goTo = (reply: FastifyReply, { path, notice }: GoTo, token: string): FastifyReply => {
    if (notice !== undefined) frames.keepNotice(reply, notice, token)
    return redirect(reply, path)
  }

  /** Redirects to a new sign-in if that is what is missing; otherwise throws the error again. */
  const orSignInAgain = async (
    error: unknown,
    again: SignInAgain,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (!(error instanceof RequestError && error.code === 'recent-sign-in-required')) throw error
    return redirect(reply, await http.signInAgain(again, reply))
  }

  const show: ConsoleRoutes<Who>['page'] = (path, content) =>
    void app.get(`/console${path}`, OPTIONS, async (request, reply) => {
      const asked = await askedBy(request, reply, undefined, http)
      try {
        const shown = await content(asked)
        if (shown instanceof GoTo) return goTo(reply, shown, asked.token)
        return sendConsolePage(reply, 200, shown, frames.withNotice(asked, request, reply))
      } catch (error) {
        const { authority } = asked
        return await orSignInAgain(error, { authority, path: request.url, fields: undefined }, reply)
      }
    })

  const sendForm = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: ConsoleForm<Who>,
    visitor: ConsoleAsked<Who>,
  ): Promise<FastifyReply> => {
    const { fields, file } = await sentIn(request)
    const asked = withFields(visitor, fields)
    try {
      if (!request.hasCsrf(fields.get('csrf'))) throw new FormRefused(words.form.outOfDate)
      const done = await sendOnce(request.url, asked, form, file)
      if ('page' in done) return sendText(reply, 200, done.page)
      return goTo(reply, new GoTo(done.path, done.notice), asked.token)
    } catch (error) {
      const refused = problemsOf(error, form.fieldNames)
      if (refused.length > 0) {
        noteRefusal(request, error, { status: 422, code: codeOf(error) })
        const state = formState(asked, refused)
        const content = await form.show({ ...asked, form: state })
        return sendConsolePage(reply, 422, content, frames.of(asked, state.problems))
      }
      if (error instanceof RequestError && error.code === 'idempotency-key-reused') {
        return sendConsolePage(reply, 410, sentBeforePage(), frames.of(asked))
      }
      return orSignInAgain(error, { authority: asked.authority, path: request.url, fields }, reply)
    }
  }

  /** Returns who sends a form, before any of it is parsed. */
  const visitorOf = (request: FastifyRequest, reply: FastifyReply): Promise<ConsoleAsked<Who>> => {
    if (isFromOtherSite(request)) throw fromOtherSite()
    return askedBy(request, reply, NO_FIELDS, http)
  }

  return {
    page: show,
    form: (path, form) => {
      if (form.isRecent && !(path in CONFIRMED)) throw new TypeError(`${path} has no reason for a sign-in`)
      show(path, async (asked) => {
        if (form.isRecent) askToSignInBeforeTyping(asked.authority, asked.now)
        await form.file?.refuse(asked)
        return form.show(asked)
      })
      const { file } = form
      if (!file) {
        return void app.post(`/console${path}`, OPTIONS, async (request, reply) =>
          sendForm(request, reply, form, await visitorOf(request, reply)),
        )
      }
      const { bytes, refuse: refuseUnread } = file
      const unread = beforeBody(async (request, reply) => {
        const visitor = await visitorOf(request, reply)
        await refuseUnread(visitor)
        return visitor
      })
      const options = {
        config: { ...OPTIONS.config, file: { bytes } },
        preParsing: unread.preParsing,
      }
      void app.register(async (uploads) => {
        readUploads(uploads)
        uploads.post(`/console${path}`, options, (request, reply) =>
          sendForm(request, reply, form, unread.resultOf(request)),
        )
      })
    },
    file: (path, stream) => {
      // A streamed answer is read to its end even for a HEAD request.
      app.get(`/console${path}`, { ...OPTIONS, exposeHeadRoute: false }, async (request, reply) => {
        const asked = await askedBy(request, reply, undefined, http)
        http.places.take(asked.authority.accountId ?? '', reply.raw)
        const value = await stream(asked)
        if (!(value instanceof Streamed)) throw new TypeError('the route streams nothing')
        return sendStreamed(request, reply.header('cache-control', 'no-store'), value)
      })
    },
  }

  /** Returns the form's answer, or its previous answer: a form that is sent twice acts once. */
  async function sendOnce(
    path: string,
    asked: ConsoleAsked<Who>,
    form: ConsoleForm<Who>,
    file: SentFile | undefined,
  ): Promise<{ readonly page: string } | Pick<GoTo, 'path' | 'notice'>> {
    const work = async () => {
      const done = await form.send(asked, file)
      if (done instanceof GoTo) return { path: done.path, notice: done.notice }
      return { page: consolePage(done, frames.of(asked)) }
    }
    const { accountId, caller } = asked.authority
    const { onlyReads = false } = form
    const isRead = typeof onlyReads === 'function' ? onlyReads(asked.fields) : onlyReads
    if (isRead || accountId === undefined) return work()
    const key = asked.fields.get('once') ?? ''
    if (!ONCE.test(key)) throw new FormRefused(words.form.incomplete)
    const said = asked.fields.entries.filter(([name]) => name !== 'csrf')
    const digest = hash('sha256', JSON.stringify([caller, path, said, file && hash('sha256', file.bytes)]))
    const { body } = await http.answerOnce(
      { accountId, key, digest, shownForMs: SECRET_SHOWN_MS },
      async () => ({ status: 200, headers: {}, body: JSON.stringify(await work()) }),
    )
    // This function wrote it.
    return JSON.parse(body) as Awaited<ReturnType<typeof work>>
  }

  /** Answers with a page, whatever was thrown. */
  async function refuse(
    error: Error,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    if (error instanceof OutsideNetworks) return void answerError(error, request, reply)
    if (error instanceof SignedOut) {
      if (request.method === 'POST') {
        const sent = { action: request.url, fields: sentAgain(request) }
        return sendConsolePage(reply, 403, signedOutPage(sent), frames.without())
      }
      return redirect(reply, `/console/sign-in?to=${encodeURIComponent(request.url)}`)
    }
    const { status, message } = pageRefusal(error, request, reply, fileLimit(request) ?? BODY_LIMIT)
    // When the service is too busy, the user is not looked up.
    const frame =
      status >= 429
        ? frames.without()
        : await askedBy(request, reply, NO_FIELDS, http).then((asked) => frames.of(asked), frames.without)
    const again = request.method === 'GET' ? request.url : undefined
    const list = error instanceof RequestError ? listRefused(error, request) : undefined
    const content = errorPage({ ...{ status, again, list }, message: list ? aboutFilter(message) : message })
    return sendConsolePage(reply, status, content, frame)
  }
}

function codeOf(error: unknown): string {
  if (error instanceof TooManyRequests) return 'too-many-requests'
  return error instanceof RequestError ? error.code : 'invalid-request'
}

/** Returns the list that was requested with filters it does not accept. */
function listRefused(
  { code, extra: { field } }: RequestError,
  { method, url }: FastifyRequest,
): { readonly path: string; readonly query: Fields } | undefined {
  const isOfFilter = code === 'invalid-field' && typeof field === 'string' && field.startsWith('query/')
  return method === 'GET' && isOfFilter
    ? { path: url.replace(/[?].*/s, ''), query: queryFields(url) }
    : undefined
}

/** Rewrites `The parameter "q" is not …` as `The filter “search” is not …`. */
const aboutFilter = (message: string): string =>
  message.replace(/^The parameter "([a-z_]+)(?:\/\d+)?"(?= )/, (_, name) => words.list.theFilter(name))

/** Returns what a form sent. Throws `RequestError` `invalid-request`. */
async function sentIn(request: FastifyRequest): Promise<Upload> {
  const { body, headers } = request
  if (fileLimit(request) !== undefined) return uploadIn(body, headers['content-type'])
  return { fields: fieldsIn(typeof body === 'string' ? body : ''), file: undefined }
}

/** Returns the fields to send again after a sign-in. The form is then shown again, because its `csrf` is missing. */
function sentAgain({ body }: FastifyRequest): Fields['entries'] {
  const entries = typeof body === 'string' ? [...new URLSearchParams(body)] : []
  if (entries.length > MOST_FIELDS) return []
  return entries.filter(([name]) => !NOT_AGAIN.has(name))
}

/** Fields of the session, and secrets, which are never written into a page. */
const NOT_AGAIN: ReadonlySet<string> = new Set(['csrf', 'once', 'token', 'password'])

const fromOtherSite = () =>
  new RequestError('permission-denied', words.errors.otherSite, { extra: { needs: null, brand: null } })
