/**
 * `ratafia tokens rotate`: creates a token with the limits of an old one, and revokes or shortens the old
 * one's session (contract/administration.md, D4).
 */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { systemClock } from '../../clock.ts'
import type { CredentialForm } from '../../credential-forms.ts'
import { isObject, type JsonObject, objectsIn } from '../../foreign-json.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../context.ts'
import { askFor, strangeAnswer } from '../login/ask.ts'
import { howToLogIn } from '../login/in-browser.ts'
import { endSession, logInAndExport, printExported } from '../login/log-in-and-export.ts'
import { conditionsOf, readCredential, sessionIn } from '../login/read-credential.ts'
import { packageReference, readAhead } from '../option-values.ts'
import { note } from '../output.ts'
import { openService } from '../service/open-service.ts'
import type { Service } from '../service/service.ts'
import { heldToken, presented } from './held-token.ts'

export interface RotateOptions {
  readonly url?: string
  readonly agent?: string
  readonly for?: CredentialForm
  readonly expires?: string
  readonly overlap?: string
}

/** The service's limit, checked before the user logs in. */
const MOST_OVERLAP_MS = 30 * 86_400_000

/** Rotates the token. Throws `UsageError`, `FileError`, {@link ServiceRefusal}, `ServiceAway`. */
export async function rotate(from: string, options: RotateOptions, context: CommandContext): Promise<void> {
  const { url } = await context.findService(options.url)
  const now = systemClock()
  const expires = readAhead('--expires', options.expires, now)
  const until = readAhead('--overlap', options.overlap, now)
  if (until && until.getTime() > now.getTime() + MOST_OVERLAP_MS) {
    throw new UsageError('--overlap can be at most 30d. Give a shorter duration.')
  }
  const held = heldToken(await readCredential(from, context))
  const headers = { macaroons: formatMacaroonsHeader(presented(held)) }
  const old = await described(url, headers, sessionIn(conditionsOf(held.macaroon)))
  // Opens the service before the user logs in, because shortening the old session requires it later.
  const service = until && (await managing(url, old.username, context))

  const logIn = await howToLogIn(options.agent, context)
  // By default, the new token gets the lifetime of the old one.
  const end = expires ?? (old.life === undefined ? undefined : new Date(now.getTime() + old.life))
  const wanted = { ...old.wanted, expires: end?.toISOString() }
  const exported = await logInAndExport({ url, form: options.for ?? held.form, wanted, logIn })
  const bearing = { authorization: `Macaroon ${exported.token}` }
  const whose = await whoami(url, bearing)
  if (whose.username !== old.username) {
    await endSession(url, exported.sessionId, bearing)
    throw new ServiceRefusal(
      `The token belongs to ${old.username}, but you logged in as ${whose.username}. Nothing was changed. Log in as ${old.username}.`,
    )
  }
  // Prints the new token before it revokes the old one.
  await printExported(url, exported, context)
  if (service && until) {
    const asking = { id: old.sessionId, body: { until: until.toISOString() } }
    const { valid_until: end } = await service.recordOf(api.shortenMyToken, asking)
    note(context.streams, `The replaced session ${old.sessionId} expires at ${end}.`)
    return
  }
  await endSession(url, old.sessionId, headers)
  note(context.streams, `Revoked the replaced session ${old.sessionId}.`)
}

type Headers = Readonly<Record<string, string>>

interface Described {
  readonly username: string
  readonly sessionId: string
  /** The body of the request for a token with the same limits. */
  readonly wanted: object
  /** The session's lifetime in milliseconds; undefined if the service does not list it. */
  readonly life: number | undefined
}

/** Returns the service's description of the token. */
async function described(url: string, headers: Headers, sessionId: string | undefined): Promise<Described> {
  if (sessionId === undefined) {
    throw new ServiceRefusal('The token has no session, so it cannot be rotated. Create a token instead.')
  }
  const { username, body } = await whoami(url, headers)
  const { macaroons } = await askFor(`${url}/api/v2/tokens`, { headers })
  const record = objectsIn(macaroons).find((one) => one['session-id'] === sessionId)
  const { description, 'valid-since': since, 'valid-until': end } = record ?? {}
  const life = Date.parse(String(end)) - Date.parse(String(since))
  const { permissions, channels, packages, store_ids: stores } = body
  return {
    username,
    sessionId,
    wanted: {
      ...(typeof description === 'string' && { description }),
      ...(Array.isArray(permissions) && { permissions }),
      ...(Array.isArray(channels) && { channels }),
      ...(Array.isArray(packages) && { packages: packages.map((id) => packageReference(String(id))) }),
      ...(Array.isArray(stores) && { store_ids: stores }),
    },
    life: Number.isNaN(life) ? undefined : life,
  }
}

async function whoami(
  url: string,
  headers: Headers,
): Promise<{ readonly username: string; readonly body: JsonObject }> {
  const place = `${url}/api/v2/tokens/whoami`
  const body = await askFor(place, { headers })
  const { username } = isObject(body['account']) ? body['account'] : {}
  if (typeof username !== 'string') throw strangeAnswer(place, 'no account')
  return { username, body }
}

/** Opens the service with a login that can shorten the session. Throws {@link ServiceRefusal}. */
async function managing(url: string, username: string, context: CommandContext): Promise<Service> {
  const service = await openService(url, context)
  const me = await service.recordOf(api.me)
  if (me['username'] === username) return service
  throw new ServiceRefusal(
    `The token belongs to ${username}, but \`ratafia login\` is for ${me['username']}, who cannot shorten its session. Leave out --overlap: the token then revokes itself.`,
  )
}
