/** Opens the service that a command administers: with the kept token, or with a login as an agent or in a browser. */
import { MANAGEMENT_ROUTES as api, MANAGEMENT_PREFIX } from '@ratafia/api/management'
import type { Role } from '@ratafia/api/roles'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import type { JsonObject } from '../../foreign-json.ts'
import { pasteFault, withoutWhiteSpace } from '../../http/credentials/pasted.ts'
import { type CommandContext, FileError, ServiceRefusal } from '../context.ts'
import { readNamed, textOfFile } from '../files.ts'
import { askFor, strangeAnswer, withJson } from '../login/ask.ts'
import { dischargedRoot, type LogIn } from '../login/discharge.ts'
import { inBrowser } from '../login/in-browser.ts'
import { orEnd } from '../login/print-credential.ts'
import { note } from '../output.ts'
import { harmless } from '../terminal/harmless.ts'
import { credentialFor, keepCredential, requireKeepable } from './credentials.ts'
import { type Bearer, serviceAt } from './http-service.ts'
import type { Service } from './service.ts'

/** Opens the service at `url`, which has no trailing slash. Throws `FileError`, `ServiceRefusal`, `ServiceAway`. */
export async function openService(url: string, context: CommandContext): Promise<Service> {
  return serviceAt(url, await bearerFor(url, context))
}

async function bearerFor(url: string, context: CommandContext): Promise<Bearer> {
  const { service, streams } = context
  const tokenFile = service.tokenFile()
  if (tokenFile !== undefined) return { token: await tokenIn(tokenFile), renew: undefined }
  const agentFile = service.agentFile()
  if (agentFile !== undefined) {
    const { asAgent } = await import('../login/as-agent.ts')
    const logIn = await asAgent(agentFile, 'RATAFIA_AGENT_FILE')
    // One hour is enough for any command.
    return { token: await managementToken(url, { lifetime: 3_600 }, logIn), renew: undefined }
  }
  const kept = await credentialFor(url, service.credentialsFile())
  if (!kept) {
    throw new ServiceRefusal(
      `You are not logged in at ${url}. Log in with \`ratafia login --url ${url}\`, or set RATAFIA_AGENT_FILE or RATAFIA_TOKEN_FILE.`,
      { code: 'not-logged-in' },
    )
  }
  if (streams.stderr.isTTY) note(streams, `${url} as ${harmless(kept.account)}`)
  // A user at a terminal can sign in again; a script gets the refusal.
  const renew = async () => (await logInAndKeep(url, { max_age: 0 }, context)).token
  return { token: kept.token, renew: streams.stderr.isTTY ? renew : undefined }
}

async function tokenIn(file: string): Promise<string> {
  const text = textOfFile(await readNamed(file, 'RATAFIA_TOKEN_FILE'))
  const token = withoutWhiteSpace(text)
  const fault = pasteFault(text)
  if (fault === undefined && /^[A-Za-z0-9_-]{1,65536}$/.test(token)) return token
  const hint = fault === undefined ? '' : ` ${fault}.`
  throw new FileError(`${file} (RATAFIA_TOKEN_FILE) does not contain a management token.${hint}`)
}

/** Logs in, by default in a browser, and keeps the token. Throws `ServiceRefusal`, `ServiceAway`, `FileError`. */
export async function logInAndKeep(
  url: string,
  wanted: WantedToken,
  context: CommandContext,
  logIn: LogIn = inBrowser(context),
): Promise<{ readonly token: string; readonly me: JsonObject }> {
  const credentialsFile = context.service.credentialsFile()
  await requireKeepable(credentialsFile)
  const token = await managementToken(url, wanted, logIn)
  const service = serviceAt(url, { token, renew: undefined })
  const me = await service.recordOf(api.me)
  const { username, session_id: sessionId, expires } = me
  if (typeof username !== 'string' || typeof sessionId !== 'string' || typeof expires !== 'string') {
    throw new ServiceRefusal(`${url} answered without your account. It may be another program. Check --url.`)
  }
  await orEnd(
    `The session ${sessionId}`,
    () => keepCredential(url, { token, account: username, sessionId, expires }, credentialsFile),
    () => service.call(api.revokeMyToken, { id: sessionId }),
  )
  return { token, me }
}

/** The body of the request for a root macaroon. */
export interface WantedToken {
  readonly roles?: readonly Role[]
  readonly brands?: readonly string[]
  readonly read_only?: boolean
  /** The requested lifetime in seconds. */
  readonly lifetime?: number
  /** The maximum age of the user's sign-in, in seconds. */
  readonly max_age?: number
  readonly description?: string
}

/** Requests a root, discharges it by a login, and exchanges both for a token. Throws the errors of `logIn` too. */
async function managementToken(url: string, wanted: WantedToken, logIn: LogIn): Promise<string> {
  const place = `${url}${MANAGEMENT_PREFIX}/tokens/root`
  const { macaroon: root } = await askFor(place, withJson(wanted))
  const slice = await dischargedRoot(root, place, logIn)
  const exchange = `${url}${MANAGEMENT_PREFIX}/tokens/exchange`
  const { macaroon } = await askFor(exchange, withJson({}, { macaroons: formatMacaroonsHeader(slice) }))
  if (typeof macaroon === 'string' && /^[A-Za-z0-9_-]+$/.test(macaroon)) return macaroon
  throw strangeAnswer(exchange, 'no token')
}
