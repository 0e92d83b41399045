/** The pages for logging in with a browser: sign in, read, decide. Every form redirects back to `GET login` (303). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sameNetwork } from '../../addresses/address.ts'
import { invalidRequest } from '../../errors.ts'
import { userAgentIn } from '../../http/client.ts'
import { parseSummary } from '../../third-party/request-summary.ts'
import { confirmPage } from '../../web/confirm-page.ts'
import { page as withShell } from '../../web/layout.ts'
import { approvedPage, expiredPage, refusedPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { codePage, type SignInFor, signInPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import {
  browserCookie,
  consoleOf,
  FORM,
  goTo,
  PAGE,
  pageOf,
  refuseForm,
  refuseThrottled,
} from '../form-routes.ts'
import { parametersOf, required } from '../parameters.ts'
import { newCode } from '../redirect/code.ts'
import { returning } from '../redirect/return-to.ts'
import { type SignedIn, type SignedInSince, signOut } from './browser-session.ts'
import { LOGIN_MS } from './browser-window.ts'
import { confirmLogin, consentFor, visitState } from './confirm.ts'
import { toBytes, type Visit } from './sealed-texts.ts'
import { signIn, signInWithCode } from './sign-in.ts'

export function pageRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  const cookie = browserCookie(deps)

  app.get('/login', PAGE, async (request, reply) => {
    // Read it now, while the connection is still open.
    const address = request.client.address
    const did = required(parametersOf(request), 'did')
    const login = await visitState(did, deps)
    if (login.state === 'expired') {
      const console = login.visit.back?.console ? consoleOf(deps, request) : undefined
      return sendPage(reply, 410, expiredPage(siteOf(login.visit), console))
    }
    if (login.state === 'completed') {
      const site = siteOf(login.visit)
      return sendPage(reply, 200, login.decision === 'approved' ? approvedPage(site) : refusedPage(site))
    }
    const { visit } = login
    const signedIn = await cookie.signedIn(request)
    const browser = isRecentFor(signedIn, visit) ? signedIn : undefined
    if (browser && visit.back?.console) return goTo(reply, await withCode(visit, browser))
    const text = browser
      ? await confirmText(did, visit, browser)
      : signInPage({
          csrf: reply.csrf(),
          console: consoleOf(deps, request),
          login: askedBy(did, visit),
          signedInAs: signedIn?.account.username,
        })
    return sendPage(reply, 200, text, { formsLeadTo: siteOf(visit) })

    async function confirmText(did: string, visit: Visit, browser: SignedIn): Promise<string> {
      return confirmPage({
        did,
        csrf: reply.csrf(),
        consent: await consentFor(visit, browser, deps.keyring),
        account: browser.account,
        client: { address: visit.address, userAgent: visit.userAgent },
        site: siteOf(visit),
        sameNetwork: sameNetwork(visit.address, address),
        browserAddress: address,
        serviceKnown: visit.known,
        firstParty: Buffer.from(toBytes(visit.firstParty)).toString('base64'),
        request: visit.summary === null ? undefined : parseSummary(visit.summary),
        now: deps.clock(),
      })
    }
  })

  /** Returns the URL that the browser returns to, with a code for the site that it came from. */
  const withCode = async ({ login, back }: Visit, browser: SignedInSince): Promise<string> => {
    if (!back) throw new TypeError('no web site waits for this login')
    return returning(back.returnTo, {
      code: await newCode({ login, back }, browser, deps),
      state: back.state,
    })
  }

  /** Also returns undefined if the login requires a more recent sign-in. Then the user signs in again. */
  const signedInFor = async (request: FastifyRequest, visit: Visit) => {
    const browser = await cookie.signedIn(request)
    return isRecentFor(browser, visit) ? browser : undefined
  }

  /** Returns the login that a form is for, if any; false if it is not pending any more, which its page then shows. */
  const loginOf = async (did: string | undefined): Promise<SignInFor | undefined | false> => {
    if (did === undefined) return undefined
    const login = await visitState(did, deps)
    return login.state === 'pending' && askedBy(did, login.visit)
  }
  const throttled = (
    request: FastifyRequest,
    reply: FastifyReply,
    did: string | undefined,
    retryAt: Date,
  ) => {
    const back = { href: pageOf(did), text: 'Back to the sign-in page' }
    const content = refuseThrottled(request, reply, { retryAt, now: deps.clock(), back })
    return sendPage(reply, 429, withShell({ ...content, console: consoleOf(deps, request) }))
  }

  app.post('/login', FORM, async (request, reply) => {
    const address = request.client.address
    const parameters = parametersOf(request)
    const did = parameters.get('did')
    const login = await loginOf(did)
    if (login === false) return goTo(reply, pageOf(did))
    const shown = () => ({ login, console: consoleOf(deps, request), csrf: reply.csrf() })
    const username = parameters.get('username') ?? ''
    const password = parameters.get('password') ?? ''
    const result = await signIn(
      { username, password, address, userAgent: userAgentIn(request.headers) },
      deps,
    )
    switch (result.outcome) {
      case 'signed-in':
        cookie.set(reply, result.cookie)
        return goTo(reply, pageOf(did))
      case 'code-needed':
        return sendPage(reply, 200, codePage({ ...shown(), step: result.step }))
      case 'throttled':
        return throttled(request, reply, did, result.retryAt)
      default: {
        const message = result.outcome === 'disabled' ? DISABLED : WRONG
        return refuseForm(request, reply, signInPage({ ...shown(), failed: { username, message } }))
      }
    }
  })

  app.post('/second-factor', FORM, async (request, reply) => {
    const address = request.client.address
    const parameters = parametersOf(request)
    const did = parameters.get('did')
    const step = required(parameters, 'step')
    const login = await loginOf(did)
    if (login === false) return goTo(reply, pageOf(did))
    const shown = () => ({ login, console: consoleOf(deps, request), csrf: reply.csrf() })
    const result = await signInWithCode(
      { step, code: parameters.get('code') ?? '', address, userAgent: userAgentIn(request.headers) },
      deps,
    )
    switch (result.outcome) {
      case 'signed-in':
        cookie.set(reply, result.cookie)
        return goTo(reply, pageOf(did))
      case 'throttled':
        return throttled(request, reply, did, result.retryAt)
      case 'wrong':
        return refuseForm(request, reply, codePage({ ...shown(), step, failed: WRONG_CODE }))
      default: {
        const failed = { username: '', message: TOO_LATE }
        return refuseForm(request, reply, signInPage({ ...shown(), failed }))
      }
    }
  })

  app.post('/confirm', FORM, async (request, reply) => {
    const parameters = parametersOf(request)
    const did = required(parameters, 'did')
    const decision = DECISIONS.get(required(parameters, 'decision'))
    if (!decision) throw invalidRequest('The decision is neither "approve" nor "refuse".')
    const login = await visitState(did, deps)
    const browser = login.state === 'pending' && (await signedInFor(request, login.visit))
    if (login.state === 'pending' && browser) {
      const { visit } = login
      const consent = required(parameters, 'consent')
      const first = await confirmLogin(
        { visit, signedIn: browser, consent, decision, address: request.client.address },
        deps,
      )
      if (first && visit.back) {
        return goTo(
          reply,
          decision === 'approved'
            ? await withCode(visit, browser)
            : returning(visit.back.returnTo, refused(visit.back)),
        )
      }
    }
    return goTo(reply, pageOf(did))
  })

  app.post('/logout', FORM, async (request, reply) => {
    const did = parametersOf(request).get('did')
    await signOut({ cookie: cookie.of(request), address: request.client.address }, deps)
    cookie.clear(reply)
    return goTo(reply, pageOf(did))
  })
}

/** Whether the browser signed in as recently as the login requires. */
function isRecentFor(browser: SignedInSince | undefined, { summary, expires }: Visit): boolean {
  const maxAge = summary === null ? undefined : parseSummary(summary)?.maxAge
  if (!browser || maxAge === undefined) return true
  // The age counts from when the login began, so with 0 a user who signs in for this login is not asked a second time.
  return browser.signedInAt.getTime() >= expires - LOGIN_MS - maxAge * 1000
}

const DECISIONS: ReadonlyMap<string, 'approved' | 'denied'> = new Map([
  ['approve', 'approved'],
  ['refuse', 'denied'],
])

const WRONG = 'The username, e-mail address or password is wrong.'
const DISABLED = 'This account is disabled. Ask the operator of this service to enable it.'
const WRONG_CODE =
  'The code is wrong, or was used before. If your authenticator still shows this code, wait for the next one.'
const TOO_LATE = 'That took too long, or your account has changed since. Sign in again.'

/** Returns the same parameters as Candid. Its clients show `error` and compare `error_code`. */
const refused = ({ state }: NonNullable<Visit['back']>) => ({
  error: 'The login was rejected.',
  error_code: 'access_denied',
  state,
})

/** Returns the web site that waits for the login, if any. */
const siteOf = ({ back }: Visit): string | undefined =>
  back && !back.console ? new URL(back.returnTo).origin : undefined

/** Returns what the sign-in page shows of the login. It names the service only if its key is known. */
const askedBy = (did: string, visit: Visit): SignInFor => {
  const summary = visit.known && visit.summary !== null ? parseSummary(visit.summary) : undefined
  return {
    did,
    by: visit.back?.console ? 'console' : (siteOf(visit) ?? 'program'),
    clientAddress: visit.address,
    service: summary?.service,
    confirms: summary?.confirms,
  }
}
