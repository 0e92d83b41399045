/** The ID token of a job, as far as its holder reads it: its service verifies it. */
import { type JsonObject, objectIn } from '../../../foreign-json.ts'
import { pasteFault, withoutWhiteSpace } from '../../../http/credentials/pasted.ts'
import { ServiceRefusal } from '../../context.ts'

/** As the service does (contract/oidc.md, A20). */
const MOST_CHARACTERS = 16 * 1024

/**
 * Without white space, such as the line end that files and programs add. `where`: what gave it, at the beginning of a sentence. Throws
 * {@link ServiceRefusal} for anything else than an ID token, and does not repeat it.
 */
export function idTokenIn(text: string, where: string): string {
  const token = withoutWhiteSpace(text)
  if (token === '') throw new ServiceRefusal(`${where} gives no ID token: it is empty.`)
  if (token.length > MOST_CHARACTERS)
    throw new ServiceRefusal(`${where} gives more than 16 KiB: that is not an ID token.`)
  if (claimsOf(token) === undefined) {
    const fault = pasteFault(text)
    const hint = fault === undefined ? '' : ` ${fault}.`
    throw new ServiceRefusal(
      `${where} gives something other than an ID token (three parts with dots between).${hint}`,
    )
  }
  return token
}

/**
 * An ID token for another service is not sent: the receiver could use it there. Throws {@link ServiceRefusal}. `advice` is
 * a sentence.
 */
export function requireAudience(token: string, audience: string, advice: string): void {
  const { aud } = claimsOf(token) ?? {}
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (all.includes(audience)) return
  const named = all.filter((one) => typeof one === 'string').map((one) => JSON.stringify(one.slice(0, 200)))
  throw new ServiceRefusal(
    `The ID token is for ${named.slice(0, 3).join(', ') || 'nobody'}, not for ${audience}, so it was not sent. ${advice}`,
  )
}

function claimsOf(token: string): JsonObject | undefined {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? []
  return payload === undefined ? undefined : objectIn(Buffer.from(payload, 'base64url').toString('utf8'))
}
