/** The pages of a login with a browser: sign in, read, decide. Every form leads back to `GET login` (303). */
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sameNetwork } from '../../address.ts'
import { invalidRequest, unauthorized } from '../../errors.ts'
import { confirmPage } from '../../web/confirm-page.ts'
import { approvedPage, expiredPage, refusedPage, throttledPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { signInPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { parseSummary } from '../discharge/request-summary.ts'
import { parametersOf, required } from '../parameters.ts'
import { confirmLogin, consentFor } from './confirm.ts'
import { toBytes, type Visit } from './sealed-texts.ts'
import { SIGN_IN_MS, type SignedIn, signedIn, signIn, signOut } from './sign-in.ts'
import { visitState } from './visit.ts'

const COOKIE = 'ratafia-sign-in'

export function pageRoutes(
  app: FastifyInstance,
  deps: IdentityDependencies,
  cookieOptions: CookieSerializeOptions,
): void {
  const page = { config: { page: true, limit: 'pages' } } as const
  const form = { ...page, preHandler: [refuseOtherSites, app.csrfProtection.bind(app)] }

  app.get('/login', page, async (request, reply) => {
    // Now, while the connection is still open.
    const address = request.client.address
    const did = required(parametersOf(request), 'did')
    const login = await visitState(did, deps)
    if (login.state === 'expired') return sendPage(reply, 410, expiredPage())
    if (login.state === 'completed') {
      return sendPage(reply, 200, login.decision === 'approved' ? approvedPage() : refusedPage())
    }
    const browser = await signedIn(request.cookies[COOKIE], deps)
    const text = browser
      ? await confirmText(did, login.visit, browser)
      : signInPage({ did, csrf: reply.generateCsrf(), ...shownClient(login.visit) })
    return sendPage(reply, 200, text)

    async function confirmText(did: string, visit: Visit, browser: SignedIn): Promise<string> {
      return confirmPage({
        did,
        csrf: reply.generateCsrf(),
        consent: await consentFor(visit, browser, deps.keyring),
        account: browser.account,
        client: { address: visit.address, userAgent: visit.userAgent },
        sameNetwork: sameNetwork(visit.address, address),
        browserAddress: address,
        serviceKnown: visit.known,
        firstParty: Buffer.from(toBytes(visit.firstParty)).toString('base64'),
        request: visit.summary === null ? undefined : parseSummary(visit.summary),
        now: deps.clock(),
      })
    }
  })

  app.post('/login', form, async (request, reply) => {
    const address = request.client.address
    const parameters = parametersOf(request)
    const did = required(parameters, 'did')
    const login = await visitState(did, deps)
    if (login.state !== 'pending') return backToLogin(reply, did)
    const username = parameters.get('username') ?? ''
    const password = parameters.get('password') ?? ''
    const result = await signIn({ username, password, address }, deps)
    switch (result.outcome) {
      case 'signed-in':
        // A duration, because the browser's clock may differ.
        reply.setCookie(COOKIE, result.cookie, { ...cookieOptions, maxAge: SIGN_IN_MS / 1000 })
        return backToLogin(reply, did)
      case 'throttled': {
        request.refusal = 'too many requests'
        const now = deps.clock()
        const seconds = Math.max(1, Math.ceil((result.retryAt.getTime() - now.getTime()) / 1000))
        reply.header('retry-after', String(seconds))
        return sendPage(reply, 429, throttledPage({ did, retryAt: result.retryAt, seconds }))
      }
      default: {
        request.refusal = 'permission denied'
        const message = result.outcome === 'disabled' ? DISABLED : WRONG
        const again = {
          did,
          csrf: reply.generateCsrf(),
          ...shownClient(login.visit),
          failed: { username, message },
        }
        return sendPage(reply, 403, signInPage(again))
      }
    }
  })

  app.post('/confirm', form, async (request, reply) => {
    const parameters = parametersOf(request)
    const did = required(parameters, 'did')
    const decision = DECISIONS.get(required(parameters, 'decision'))
    if (!decision) throw invalidRequest('The decision is neither "approve" nor "refuse".')
    const login = await visitState(did, deps)
    const browser = await signedIn(request.cookies[COOKIE], deps)
    if (login.state === 'pending' && browser) {
      const consent = required(parameters, 'consent')
      await confirmLogin(
        { visit: login.visit, signedIn: browser, consent, decision, address: request.client.address },
        deps,
      )
    }
    return backToLogin(reply, did)
  })

  app.post('/logout', form, async (request, reply) => {
    const did = required(parametersOf(request), 'did')
    await signOut({ cookie: request.cookies[COOKIE], address: request.client.address }, deps)
    reply.clearCookie(COOKIE, cookieOptions)
    return backToLogin(reply, did)
  })
}

const DECISIONS: ReadonlyMap<string, 'approved' | 'denied'> = new Map([
  ['approve', 'approved'],
  ['refuse', 'denied'],
])

const WRONG = 'The username or the password is wrong.'
const DISABLED = 'This account is disabled. Ask the operator of this store to enable it.'

/** Before the sign-in the page names the service only if it proved to be ours. */
const shownClient = ({ address, known, summary }: Visit) => ({
  clientAddress: address,
  service: known && summary !== null ? parseSummary(summary)?.service : undefined,
})

/** Relative, so that it works behind a proxy and under any prefix. */
function backToLogin(reply: FastifyReply, did: string): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .redirect(`login?did=${encodeURIComponent(did)}`, 303)
}

/** Browsers say where a form comes from. A second defence, behind SameSite cookies and the form's token. */
async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw unauthorized('This form was sent by another site. Nothing was done.')
  }
}
