/** `ratafia tokens explain`: has the service explain the permissions of a token, or why it is refused. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal } from '../context.ts'
import { type GivenCredential, readCredential, valueIn } from '../login/read-credential.ts'
import { details, print } from '../output.ts'
import { serviceOverHttp } from '../service/ways.ts'
import { heldToken, presented } from './held-token.ts'

/** Explains a token. Throws `UsageError`, `FileError`, `ServiceRefusal`, `ServiceAway`. */
export async function explain(from: string, options: CommonOptions, context: CommandContext): Promise<void> {
  // A missing file is reported first; standard input is read only if there is a service.
  const named = from === '-' ? undefined : await readCredential(from, context)
  const service = await serviceOverHttp(options, context)
  const token = tokenIn(named ?? (await readCredential(from, context)))
  const record = await service.recordOf(api.explainToken, { body: { token } })
  print(context, options, record, explanationText(record))
}

/** Returns the token as requests carry it. An unreadable token is sent unchanged, so that the service explains it. */
function tokenIn(given: GivenCredential): string {
  try {
    return encodeBase64Url(encodeBinary(...presented(heldToken(given))))
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error
    return valueIn(given.text)
  }
}

function explanationText(record: JsonObject): string {
  const { kind, accepted, refusal, username, session_id: session, expires, limits, may } = record
  const { message } = isObject(refusal) ? refusal : {}
  const named = typeof kind === 'string' ? kind.replace('-', ' ') : null
  if (accepted !== true) return details({ kind: named, accepted: 'no', because: textOf(message) })
  return details({
    ...{ kind: named, accepted: 'yes', username: textOf(username) },
    ...{ session: textOf(session), expires: textOf(expires) },
    ...(isObject(limits)
      ? Object.fromEntries(Object.entries(limits).map(([name, values]) => [name, listOf(values)]))
      : {}),
    ...(Array.isArray(may) ? { may: may.map(permissionText).join('; ') || 'nothing' } : {}),
  })
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : 'all')

function permissionText(one: unknown): string {
  const { permission, brands } = isObject(one) ? one : {}
  return `${permission} ${Array.isArray(brands) ? `for ${brands.join(', ')}` : 'for all'}`
}
