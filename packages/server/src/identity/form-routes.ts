/** What the pages with forms share: the cookie of a signed-in browser, where answers lead, how forms are refused. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unauthorized } from '../errors.ts'
import { cookiesFor } from '../http/browsers/cookies.ts'
import { isFromOtherSite } from '../http/browsers/csrf.ts'
import { seeOther } from '../http/browsers/see-other.ts'
import type { PageContent } from '../web/layout.ts'
import { throttledPage } from '../web/message-page.ts'
import { sendPage } from '../web/send-page.ts'
import type { IdentityDependencies } from './dependencies.ts'
import { SIGN_IN_MS, type SignedInSince, signedInSince } from './logins/browser-session.ts'
import { parametersOf } from './parameters.ts'

/** The options of routes that answer with a page. */
export const PAGE = { config: { page: true, limit: 'pages', anyQuery: true } } as const

/** The options of routes that take the form of such a page. */
export const FORM = { ...PAGE, preHandler: refuseForeignForms }

/** The cookie by which a browser is signed in. */
export function browserCookie(deps: IdentityDependencies) {
  const { options, fullName } = cookiesFor(deps.location)
  const name = fullName('ratafia-sign-in')
  return {
    of: (request: FastifyRequest): string | undefined => request.cookies[name],
    signedIn: (request: FastifyRequest): Promise<SignedInSince | undefined> =>
      signedInSince(request.cookies[name], deps),
    /** With a duration, because the browser's clock may differ. */
    set: (reply: FastifyReply, cookie: string) =>
      reply.setCookie(name, cookie, { ...options, maxAge: SIGN_IN_MS / 1000 }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),
  }
}

/** Returns where the console of the same service begins; undefined without one, and for networks it is hidden from. */
export const consoleOf = (
  { returnPlaces, showsConsoleTo }: Pick<IdentityDependencies, 'returnPlaces' | 'showsConsoleTo'>,
  { client }: FastifyRequest,
): string | undefined =>
  showsConsoleTo(client.address) ? returnPlaces.console?.replace(/signed-in$/, '') : undefined

/** Relative, so that it works behind a proxy and under any prefix. */
export const goTo = (reply: FastifyReply, page: string): FastifyReply => seeOther(reply, page)

/** The page of the login that a form belongs to, or of one's own account. */
export const pageOf = (did: string | undefined): string =>
  did === undefined ? 'account' : `login?did=${encodeURIComponent(did)}`

/** The page for an attempt after too many that failed; it is sent with 429. */
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

/** Shows the page of a form again, with what was wrong. */
export function refuseForm(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  request.refusal = 'permission denied'
  return sendPage(reply, 403, page)
}

async function refuseForeignForms(request: FastifyRequest): Promise<void> {
  if (isFromOtherSite(request)) throw unauthorized('This form was sent by another site. Nothing was done.')
  if (!request.hasCsrf(parametersOf(request).get('csrf'))) {
    throw unauthorized(
      'This form is out of date, or your browser sends no cookies. Go back to the page of your login.',
    )
  }
}
