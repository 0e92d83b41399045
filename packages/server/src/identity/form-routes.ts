/** The shared parts of pages with forms: the cookie of a signed-in browser, redirects, and refusals of forms. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest, unauthorized } from '../errors.ts'
import { bodyParser } from '../http/bodies/read-body.ts'
import { cookiesFor } from '../http/browsers/cookies.ts'
import { isFromOtherSite } from '../http/browsers/csrf.ts'
import { seeOther } from '../http/browsers/see-other.ts'
import type { Stores } from '../stores.ts'
import type { PageContent } from '../web/layout.ts'
import { throttledPage } from '../web/message-page.ts'
import { sendPage } from '../web/send-page.ts'
import type { IdentityDependencies } from './dependencies.ts'
import { SIGN_IN_MS, type SignedInSince, signedInSince } from './logins/browser-session.ts'
import { type FormBody, parametersOf } from './parameters.ts'

/** The options of routes that answer with a page. */
export const PAGE = { config: { page: true, limit: 'pages', anyQuery: true } } as const

/** The options of routes that receive the form of such a page. */
export const FORM = { ...PAGE, preHandler: refuseForeignForms }

/** Forms and discharges are small. The largest one is a caveat payload of 16 KiB in base64 with a token. */
const BODY_LIMIT = 64 * 1024

/** Makes the routes that are added to `app` later read forms, and refuse other bodies. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const form = bodyParser({ limit: BODY_LIMIT, parse: parseForm })
  app.addContentTypeParser('application/x-www-form-urlencoded', form)
  app.addContentTypeParser('*', bodyParser({ limit: BODY_LIMIT, parse: refuseOtherBodies }))
}

const parseForm = (body: Buffer): FormBody => ({ form: new URLSearchParams(body.toString()) })

/** Refuses bodies other than forms, except an empty one: Go's client sends its parameters in the query. */
function refuseOtherBodies(body: Buffer, { headers }: FastifyRequest): undefined {
  if (headers['content-type'] === undefined && body.length === 0) return undefined
  throw invalidRequest('The body is not a form. Send application/x-www-form-urlencoded, or a query.')
}

/** Returns functions for the cookie of a signed-in browser. */
export function browserCookie(deps: Stores & Pick<IdentityDependencies, 'location'>) {
  const { options, fullName } = cookiesFor(deps.location)
  const name = fullName('ratafia-sign-in')
  return {
    of: (request: FastifyRequest): string | undefined => request.cookies[name],
    signedIn: (request: FastifyRequest): Promise<SignedInSince | undefined> =>
      signedInSince(request.cookies[name], deps),
    /** Sets it with a duration, because the browser's clock can differ. */
    set: (reply: FastifyReply, cookie: string) =>
      reply.setCookie(name, cookie, { ...options, maxAge: SIGN_IN_MS / 1000 }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),
  }
}

/** Returns the URL of the same service's console; undefined if there is none, or if it is hidden from this network. */
export const consoleOf = (
  { returnPlaces, showsConsoleTo }: Pick<IdentityDependencies, 'returnPlaces' | 'showsConsoleTo'>,
  { client }: FastifyRequest,
): string | undefined =>
  showsConsoleTo(client.address) ? returnPlaces.console?.replace(/signed-in$/, '') : undefined

/** Redirects to a page. The URL is relative, so that it works behind a reverse proxy and under any prefix. */
export const goTo = (reply: FastifyReply, page: string): FastifyReply => seeOther(reply, page)

/** Returns the URL of the login page that a form belongs to, or of the user's account page. */
export const pageOf = (did: string | undefined): string =>
  did === undefined ? 'account' : `login?did=${encodeURIComponent(did)}`

/** Returns the page for an attempt after too many failed ones, to be sent with a 429. */
export function refuseThrottled(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    retryAt,
    now,
    back,
  }: { readonly retryAt: Date; readonly now: Date; readonly back: { href: string; text: string } },
): PageContent {
  request.refusal = 'too many requests'
  const seconds = Math.max(1, Math.ceil((retryAt.getTime() - now.getTime()) / 1000))
  reply.header('retry-after', String(seconds))
  return throttledPage({ back, retryAt, seconds })
}

/** Shows a form's page again, with its error. */
export function refuseForm(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  request.refusal = 'permission denied'
  return sendPage(reply, 403, page)
}

async function refuseForeignForms(request: FastifyRequest): Promise<void> {
  if (isFromOtherSite(request)) throw unauthorized('This form was sent by another site. Nothing was changed.')
  if (!request.hasCsrf(parametersOf(request).get('csrf'))) {
    throw unauthorized(
      'This form is out of date, or your browser does not send cookies. Open its page again and try once more.',
    )
  }
}
