/** Logs in to a service and gets one credential as a string. Needs only the service's address. */
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { type Addresses, type CredentialForm, credentialString } from '../../credential-forms.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { ToStreams } from '../context.ts'
import { note } from '../output.ts'
import { askFor, isAddress, strangeAnswer, withJson } from './ask.ts'
import { dischargedRoot, type LogIn } from './discharge.ts'
import { orEnd, printCredential } from './print-credential.ts'

export interface Export {
  /** The service's address, without a trailing slash. */
  readonly url: string
  readonly form: CredentialForm
  /** The body of `POST /api/v2/tokens`. */
  readonly wanted: object
  readonly logIn: LogIn
}

export interface Exported {
  readonly text: string
  readonly sessionId: string
  /** The token as requests carry it. */
  readonly token: string
}

/** Logs in and returns the credential. Throws `ServiceRefusal`, `ServiceAway`, and the errors of `logIn`. */
export async function logInAndExport({ url, form, wanted, logIn }: Export): Promise<Exported> {
  // This request comes first, so that a failure does not waste the user's login.
  const addresses = await addressesOf(url)
  const { macaroon: root } = await askFor(`${url}/api/v2/tokens`, withJson(wanted))
  const slice = await dischargedRoot(root, `${url}/api/v2/tokens`, logIn)
  const place = `${url}/api/v2/tokens/export`
  const answer = await askFor(place, withJson({}, { macaroons: formatMacaroonsHeader(slice) }))
  const text = (name: string) => macaroonAt(name, answer, place)
  const credential = { root: text('root'), discharge: text('discharge'), token: text('macaroon') }
  const { 'session-id': sessionId } = answer
  if (typeof sessionId !== 'string' || !/^[0-9a-f-]{1,64}$/.test(sessionId))
    throw strangeAnswer(place, 'no session')
  return { text: credentialString(form, credential, addresses), sessionId, token: credential.token }
}

/** Revokes the session with its own token, which `headers` present. Throws `ServiceRefusal`, `ServiceAway`. */
export const endSession = (
  url: string,
  sessionId: string,
  headers: Readonly<Record<string, string>>,
): Promise<JsonObject> =>
  askFor(`${url}/api/v2/tokens/revoke`, withJson({ 'session-id': sessionId }, headers))

/** Prints only the credential, and revokes its session if printing fails. Throws `FileError`. */
export async function printExported(url: string, exported: Exported, { streams }: ToStreams): Promise<void> {
  const { text, sessionId, token } = exported
  await orEnd(
    `The session ${sessionId}`,
    () => printCredential(text, streams),
    () => endSession(url, sessionId, { authorization: `Macaroon ${token}` }),
  )
  note(streams, `The token belongs to the session ${sessionId}. To revoke the token, revoke the session.`)
}

/** Returns the service's own addresses, which may differ from the one that the command uses. */
async function addressesOf(url: string): Promise<Addresses> {
  const { service, links } = await askFor(`${url}/`)
  const { self, 'sign-on': signOn } = isObject(links) ? links : {}
  if (service !== 'ratafia' || !isAddress(self) || !isAddress(signOn)) {
    throw strangeAnswer(`${url}/`, 'no description of this service')
  }
  return { baseUrl: self, signOn }
}

function macaroonAt(name: string, answer: JsonObject, place: string): string {
  const value = answer[name]
  if (typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value)) return value
  throw strangeAnswer(place, 'no credential')
}
