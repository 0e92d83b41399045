/** Logs in to a service to administer it, and keeps the token for the commands that follow. */
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, ServiceRefusal } from '../context.ts'
import type { LogIn } from '../login/discharge.ts'
import { inBrowser } from '../login/in-browser.ts'
import { orEnd } from '../login/or-end.ts'
import { type Credential, keepCredential, requireKeepable } from './credentials.ts'
import { managementToken, type WantedToken } from './management-token.ts'
import { serviceAt } from './service.ts'

const ME = { method: 'GET', path: '/me' } as const
const REVOKE = { method: 'POST', path: '/me/tokens/:id/revoke' } as const

/** `logIn`: default, in a browser. Throws `ServiceRefusal`, `ServiceAway`, `FileError`. */
export async function logInAndKeep(
  url: string,
  wanted: WantedToken,
  context: CommandContext,
  logIn: LogIn = inBrowser(context),
): Promise<{ readonly credential: Credential; readonly me: JsonObject }> {
  const credentialsFile = context.service.credentialsFile()
  await requireKeepable(credentialsFile)
  const token = await managementToken(url, wanted, logIn)
  const service = serviceAt(url, { token, renew: undefined })
  const { record: me } = await service.call(ME)
  const { username, session_id: sessionId, expires } = me
  if (typeof username !== 'string' || typeof sessionId !== 'string' || typeof expires !== 'string') {
    throw new ServiceRefusal(`${url} does not say who you are: it may be another program. Check --url.`)
  }
  const credential = { token, account: username, sessionId, expires }
  await orEnd(
    `The session ${sessionId}`,
    () => keepCredential(url, credential, credentialsFile),
    () => service.call(REVOKE, { id: sessionId }),
  )
  return { credential, me }
}
