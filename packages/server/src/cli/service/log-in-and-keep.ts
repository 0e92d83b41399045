/** Logs in to a service to administer it, and keeps the token for the commands that follow. */
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, ServiceRefusal } from '../context.ts'
import type { LogIn } from '../login/discharge.ts'
import { inBrowser } from '../login/in-browser.ts'
import { type Credential, keepCredential } from './credentials.ts'
import { managementToken, type WantedToken } from './management-token.ts'
import { serviceAt } from './service.ts'

/** `logIn`: default, in a browser. Throws `ServiceRefusal`, `ServiceAway`, `FileError`. */
export async function logInAndKeep(
  url: string,
  wanted: WantedToken,
  context: CommandContext,
  logIn: LogIn = inBrowser(context),
): Promise<{ readonly credential: Credential; readonly me: JsonObject }> {
  const token = await managementToken(url, wanted, logIn)
  const { record: me } = await serviceAt(url, { token, renew: undefined }).call({
    method: 'GET',
    path: '/me',
  })
  const { username, session_id: sessionId, expires } = me
  if (typeof username !== 'string' || typeof sessionId !== 'string' || typeof expires !== 'string') {
    throw new ServiceRefusal(`${url} does not say who you are: it may be another program. Check --url.`)
  }
  const credential = { token, account: username, sessionId, expires }
  await keepCredential(url, credential, context.service.credentialsFile)
  return { credential, me }
}
