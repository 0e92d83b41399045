/** Logs in to a service to administer it, and keeps the token for later commands. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, ServiceRefusal } from '../context.ts'
import type { LogIn } from '../login/discharge.ts'
import { inBrowser } from '../login/in-browser.ts'
import { orEnd } from '../login/or-end.ts'
import { type Credential, keepCredential, requireKeepable } from './credentials.ts'
import { serviceAt } from './http-service.ts'
import { managementToken, type WantedToken } from './management-token.ts'

/** Logs in, by default in a browser, and keeps the token. Throws `ServiceRefusal`, `ServiceAway`, `FileError`. */
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
  const { record: me } = await service.call(api.me)
  const { username, session_id: sessionId, expires } = me
  if (typeof username !== 'string' || typeof sessionId !== 'string' || typeof expires !== 'string') {
    throw new ServiceRefusal(`${url} answered without your account. It may be another program. Check --url.`)
  }
  const credential = { token, account: username, sessionId, expires }
  await orEnd(
    `The session ${sessionId}`,
    () => keepCredential(url, credential, credentialsFile),
    () => service.call(api.revokeMyToken, { id: sessionId }),
  )
  return { credential, me }
}
