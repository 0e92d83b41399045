/** The page of the setup link, which requires no sign-in and creates the first operator. */
import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problemsIn, RequestError } from '../../errors.ts'
import { pathOf } from '../../http/app.ts'
import { cookiesFor } from '../../http/browsers/cookies.ts'
import { csrfTokens, formCookie } from '../../http/browsers/csrf.ts'
import { seeOther } from '../../http/browsers/see-other.ts'
import { arrivedInSecret, userAgentIn } from '../../http/client.ts'
import { onlyFrom } from '../../http/limits/only-from.ts'
import { html } from '../../web/html.ts'
import { page } from '../../web/layout.ts'
import { errorPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { setupPage } from '../../web/setup-page.ts'
import { answerErrors } from '../error-routes.ts'
import { browserCookie, FORM, PAGE, readForms, refuseThrottled } from '../form-routes.ts'
import { parametersOf } from '../parameters.ts'
import { checkSetupLink, type LinkVerdict, type SetupDeps, setUp } from './set-up.ts'

export interface SetupOptions extends SetupDeps {
  /** The service's URL, without a trailing slash. */
  readonly baseUrl: string
  /** The URL of the bundled identity service, without a trailing slash: the browser signs in there. */
  readonly location: string
  /** The URL where the service's console receives a browser after a login. */
  readonly consoleReturn: string
  /** The addresses and CIDR blocks that can reach the console. Default: all. */
  readonly consoleFrom: readonly string[] | undefined
}

type WithSecret = { readonly Params: { readonly secret: string } }

/** `app` is only for these routes. */
export async function setupRoutes(app: FastifyInstance, deps: SetupOptions): Promise<void> {
  const { baseUrl, consoleFrom, consoleReturn, clock } = deps
  if (consoleFrom) onlyFrom(app, consoleFrom)
  readForms(app)
  answerErrors(app, { returnPlaces: { console: consoleReturn, others: [] }, showsConsoleTo: () => true })
  await app.register(fastifyCookie)
  csrfTokens(app, formCookie(cookiesFor(`${baseUrl}/setup`)))
  const cookie = browserCookie(deps)

  /** Sends the page for a link that does not work, or for too many of them. */
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    result: Exclude<LinkVerdict, { readonly verdict: 'right' }>,
  ): FastifyReply => {
    if (result.verdict === 'throttled') {
      // An empty address is the page's own.
      const back = { href: '', text: 'Try again' }
      const content = refuseThrottled(request, reply, { retryAt: result.retryAt, now: clock(), back })
      return sendPage(reply, 429, page(content))
    }
    request.refusal = 'not found'
    const message = result.someoneExists ? SOMEONE_WAS_FIRST : NO_LINK
    const console = result.someoneExists ? consoleReturn.replace(/signed-in$/, '') : undefined
    return sendPage(
      reply,
      404,
      errorPage({ title: 'This link does not work', message, did: undefined, console }),
    )
  }

  app.get<WithSecret>('/setup/:secret', PAGE, async (request, reply) => {
    const { secret } = request.params
    const result = await checkSetupLink({ secret, address: request.client.address }, deps)
    if (result.verdict !== 'right') return refuse(request, reply, result)
    return sendPage(reply, 200, setupPage({ csrf: reply.csrf(), isReadable: !arrivedInSecret(request) }))
  })

  app.post<WithSecret>('/setup/:secret', FORM, async (request, reply) => {
    const { secret } = request.params
    const { address } = request.client
    const parameters = parametersOf(request)
    const typed = (name: string) => parameters.get(name) ?? ''
    const fields = { username: typed('username').trim(), name: typed('name'), email: typed('email').trim() }
    const again = (problems: ReturnType<typeof problemsIn>) => {
      request.refusal = 'invalid field'
      const isReadable = !arrivedInSecret(request)
      return sendPage(reply, 422, setupPage({ csrf: reply.csrf(), isReadable, fields, problems }))
    }
    const password = typed('password')
    if (password !== typed('again')) {
      const link = await checkSetupLink({ secret, address }, deps)
      if (link.verdict !== 'right') return refuse(request, reply, link)
      return again([{ field: 'again', message: 'The two passwords differ.' }])
    }
    try {
      const userAgent = userAgentIn(request.headers)
      const result = await setUp({ ...fields, password, secret, address, userAgent }, deps)
      if (result.verdict !== 'right') return refuse(request, reply, result)
      cookie.set(reply, result.cookie)
      // The console's own sign-in asks the identity service, where the browser is signed in now.
      return seeOther(reply, `${pathOf(baseUrl)}/console/sign-in`)
    } catch (error) {
      if (error instanceof RequestError && error.code === 'invalid-field') return again(problemsIn(error))
      throw error
    }
  })
}

const NO_LINK = html`It has expired, was used already, or was replaced by a newer one. Run <code>ratafia setup-link</code> on
the host to get another one.`
const SOMEONE_WAS_FIRST = html`This installation is already set up: there is an account. To administer it, ask its operator for
a role. If you run it and don't know who set it up, look at <code>ratafia audit list</code> on the host.`
