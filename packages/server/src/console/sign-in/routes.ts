/**
 * Routes for signing in to the console, and out of it. Each pending sign-in has a cookie with a name of its own, so
 * that two tabs do not use each other's.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest, RequestError } from '../../errors.ts'
import { pathOf } from '../../http/app.ts'
import { bodyParser } from '../../http/bodies/read-body.ts'
import type { PageCookies } from '../../http/browsers/cookies.ts'
import { isFromOtherSite } from '../../http/browsers/csrf.ts'
import { seeOther } from '../../http/browsers/see-other.ts'
import { userAgentIn } from '../../http/client.ts'
import type { SignInAgain } from '../../http/console/console-routes.ts'
import { fieldsIn, queryFields } from '../../http/console/fields.ts'
import { consoleFrames, sendConsolePage } from '../../http/console/frames.ts'
import { pageRefusal } from '../../http/console/refusal.ts'
import {
  consoleCookies,
  MOST_COOKIE_CHARACTERS,
  type SessionCookie,
} from '../../http/console/session-cookie.ts'
import { answerError } from '../../http/errors/answer.ts'
import { OutsideNetworks } from '../../http/limits/only-from.ts'
import type { ConsoleContent } from '../../web/console/layout.ts'
import {
  awayPage,
  confirmedFormAt,
  failedPage,
  goOnPage,
  notHerePage,
  nothingKeptPage,
  notRecentPage,
  outOfDatePage,
  refusedPage,
  signedOutPage,
  signInAgainPage,
  tooManyGrantsPage,
} from '../../web/console/sign-in-pages.ts'
import { signIn as words } from '../../web/words/en/sign-in.ts'
import { beginSignIn, PENDING_MS } from './begin-sign-in.ts'
import { completeSignIn, managerOf, throwAwayCode } from './complete-sign-in.ts'
import { consolePath } from './console-path.ts'
import type { SignInDependencies } from './dependencies.ts'
import { endEarlierSession, signOutOfConsole } from './end-session.ts'
import { IdentityTrouble } from './identity-client.ts'
import { KEPT_MS, keepForm, takeForm } from './kept-forms.ts'
import { type PendingSignIn, pendingSignIn } from './pending-sign-in.ts'

export interface SignInHttp extends SignInDependencies {
  /** The name of this installation. */
  readonly name: string
  readonly cookie: SessionCookie
}

const PENDING = 'ratafia-console-sign-in-'
const KEPT = 'ratafia-console-kept-'
/** Each cookie has up to 3 KB, and proxies accept 8 KB of cookies. */
const MOST_PENDING = 2
/** The beginning of a state or a secret, which is enough to distinguish them without revealing the rest. */
const nameOf = (text: string): string => text.slice(0, 8)
const NAME = /^[\w-]{8}$/

const PAGE = { exposeHeadRoute: false, config: { limit: 'pages', anyQuery: true } } as const
const BODY_LIMIT = 4 * 1024

/** `app` is only for these routes, and has the plugin for cookies. */
export async function signInRoutes(app: FastifyInstance, http: SignInHttp): Promise<void> {
  const { cookie, baseUrl, clock } = http
  const frames = consoleFrames(http)
  const cookies = consoleCookies(baseUrl)
  const { options, fullName } = cookies
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    bodyParser({ limit: BODY_LIMIT, parse: (body) => body.toString('utf8') }),
  )
  app.setErrorHandler(refuse)

  const send = (reply: FastifyReply, status: number, content: ConsoleContent) =>
    sendConsolePage(reply, status, content, frames.without())
  const goTo = (reply: FastifyReply, path: string) => seeOther(reply, `${pathOf(baseUrl)}${path}`)

  app.get('/console/sign-in', PAGE, async (request, reply) => {
    const query = queryFields(request.url)
    const [to, kept] = [query.get('to'), query.get('kept')]
    const recent = query.has('recent')
    const confirms = confirmedFormAt(consolePath(to))
    // An external identity service does not show the reason, and a sent form is kept: this page explains both.
    if (
      (kept !== undefined || (recent && !http.management.identity.bundled)) &&
      query.get('go') === undefined
    ) {
      const isKept =
        kept !== undefined && NAME.test(kept) && request.cookies[fullName(`${KEPT}${kept}`)] !== undefined
      const form = kept === undefined ? undefined : isKept ? 'kept' : 'dropped'
      const href = signInAddress({ to, recent: true, kept: isKept ? kept : undefined, go: true })
      return send(reply, 200, signInAgainPage({ confirms, form, href }))
    }
    const { loginUrl, state, sealed } = await beginSignIn(
      {
        ...{
          to,
          ...{ recent, confirms },
          kept: kept !== undefined && NAME.test(kept) ? kept : undefined,
        },
        ...{ userAgent: userAgentIn(request.headers), address: request.client.address },
      },
      http,
    )
    forgetOldest(request, reply, cookies)
    reply.setCookie(fullName(`${PENDING}${nameOf(state)}`), sealed, { ...options, maxAge: PENDING_MS / 1000 })
    return seeOther(reply, loginUrl)
  })

  app.get('/console/signed-in', PAGE, async (request, reply) => {
    const query = queryFields(request.url)
    const state = query.get('state') ?? ''
    const name = fullName(`${PENDING}${nameOf(state)}`)
    const pending = await pendingSignIn({ sealed: request.cookies[name], state }, http)
    const code = query.get('code')
    if (!pending) {
      if (code !== undefined) await throwAwayCode({ code, address: request.client.address }, http)
      return refusePage(request, reply, notHerePage())
    }
    reply.clearCookie(name, options)
    if (query.get('error') !== undefined || code === undefined) {
      return refusePage(request, reply, refusedPage({ said: undefined, again: againAddress(pending) }))
    }
    return await signedIn({ request, reply, pending, code })
  })

  const signedIn = async ({ request, reply, pending, code }: Returned): Promise<FastifyReply> => {
    const { address } = request.client
    const earlier = cookie.of(request)
    try {
      const { token, manager, isRecent } = await completeSignIn(
        { pending, code, address, userAgent: userAgentIn(request.headers) },
        http,
      )
      if (token.length > MOST_COOKIE_CHARACTERS) {
        await signOutOfConsole({ token, address }, http)
        return refusePage(request, reply, tooManyGrantsPage())
      }
      cookie.set(reply, token, { now: clock(), until: new Date(manager.until) })
      if (earlier !== undefined) await endEarlierSession({ token: earlier, address, now: manager }, http)
      if (pending.recent && !isRecent) {
        const isKnown = manager.signIn.kind === 'person'
        return send(reply, 200, notRecentPage({ isKnown, hadForm: pending.kept !== undefined }))
      }
      return goTo(reply, pending.kept === undefined ? pending.to : `/console/go-on?form=${pending.kept}`)
    } catch (error) {
      if (!(error instanceof RequestError) && !(error instanceof IdentityTrouble)) throw error
      return stopped(error, request, reply, againAddress(pending))
    }
  }

  app.get('/console/go-on', PAGE, async (request, reply) => {
    const form = queryFields(request.url).get('form') ?? ''
    const name = fullName(`${KEPT}${form}`)
    const [token, secret] = [cookie.of(request), NAME.test(form) ? request.cookies[name] : undefined]
    if (token === undefined) return goTo(reply, '/console/sign-in')
    if (secret === undefined) return send(reply, 410, nothingKeptPage())
    const { account } = await managerOf(token, { address: request.client.address }, http)
    const kept = await takeForm({ secret, accountId: account.id }, http)
    reply.clearCookie(name, options)
    return kept
      ? send(reply, 200, goOnPage({ ...kept, csrf: reply.csrf() }))
      : send(reply, 410, nothingKeptPage())
  })

  app.post('/console/sign-out', { config: PAGE.config }, async (request, reply) => {
    const token = cookie.of(request)
    if (token !== undefined) {
      const fields = fieldsIn(typeof request.body === 'string' ? request.body : '')
      if (isFromOtherSite(request) || !request.hasCsrf(fields.get('csrf'))) {
        return refusePage(request, reply, outOfDatePage())
      }
      await signOutOfConsole({ token, address: request.client.address }, http)
    }
    cookie.clear(reply)
    const { location, endSignIn } = http.identity
    return send(reply, 200, signedOutPage({ identity: endSignIn ? undefined : location }))
  })

  function refusePage(request: FastifyRequest, reply: FastifyReply, content: ConsoleContent): FastifyReply {
    request.refusal = 'permission-denied'
    return send(reply, 403, content)
  }

  /** Sends the page for a sign-in that failed. */
  function stopped(
    error: RequestError | IdentityTrouble,
    request: FastifyRequest,
    reply: FastifyReply,
    again: string,
  ): FastifyReply {
    const { status, message } = pageRefusal(error, request, reply, BODY_LIMIT)
    const content =
      error instanceof IdentityTrouble
        ? awayPage({ kind: error.kind, again })
        : refusedPage({ said: message, again })
    return send(reply, status, content)
  }

  /** Sends a page for any error. */
  function refuse(
    error: FastifyError | Error,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | undefined {
    if (error instanceof OutsideNetworks) return void answerError(error, request, reply)
    const again = signInAddress(wantedIn(request.url))
    if (error instanceof IdentityTrouble) return stopped(error, request, reply, again)
    const { status, message } = pageRefusal(error, request, reply, BODY_LIMIT)
    return send(reply, status, failedPage({ title: words.refused.title, message, again }))
  }
}

interface Returned {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly pending: PendingSignIn
  readonly code: string
}

interface Wanted {
  readonly to: string | undefined
  readonly recent: boolean
  readonly kept?: string | undefined
  readonly go?: boolean
}

/** Returns the parameters of a sign-in URL of any length; nothing for another URL. */
function wantedIn(url: string): Wanted {
  const [, query] = /^\/console\/sign-in\?(.*)$/.exec(url) ?? []
  const fields = new URLSearchParams(query)
  return {
    to: fields.get('to') ?? undefined,
    recent: fields.has('recent'),
    kept: fields.get('kept') ?? undefined,
  }
}

/** Returns the path of a sign-in, from the root of the service. */
function signInAddress({ to, recent, kept, go = false }: Wanted): string {
  const path = consolePath(to)
  const query = new URLSearchParams({
    ...(path === undefined ? {} : { to: path }),
    ...(recent ? { recent: '1' } : {}),
    ...(kept === undefined ? {} : { kept }),
    ...(go ? { go: '1' } : {}),
  }).toString()
  return query === '' ? '/console/sign-in' : `/console/sign-in?${query}`
}

const againAddress = ({ to, recent, kept }: PendingSignIn): string =>
  signInAddress({ to, recent, kept, go: kept !== undefined })

/** Clears the cookies of the oldest pending sign-ins, and keeps a few. */
function forgetOldest(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, fullName }: PageCookies,
): void {
  // Browsers send older cookies first (RFC 6265, 5.4).
  const begun = Object.keys(request.cookies).filter((name) => name.startsWith(fullName(PENDING)))
  for (const name of begun.slice(0, Math.max(0, begun.length - MOST_PENDING)))
    reply.clearCookie(name, options)
}

/**
 * Returns the path where users sign in again for an action that requires a recent sign-in, from the root of the
 * service. Keeps the form that they sent, and stores its secret in a cookie.
 */
export async function signInAgain(
  { authority: { accountId }, path, fields }: SignInAgain,
  reply: FastifyReply,
  http: SignInHttp,
): Promise<string> {
  if (!fields) return signInAddress({ to: path, recent: true })
  if (accountId === undefined) throw invalidRequest(words.again.signedIn)
  const secret = await keepForm({ accountId, path, fields: fields.entries }, http)
  const [to = ''] = path.split('?', 1)
  if (secret === undefined) return signInAddress({ to: path, recent: true, kept: 'nothing' })
  const name = nameOf(secret)
  const { options, fullName } = consoleCookies(http.baseUrl)
  reply.setCookie(fullName(`${KEPT}${name}`), secret, { ...options, maxAge: KEPT_MS / 1000 })
  return signInAddress({ to, recent: true, kept: name })
}
