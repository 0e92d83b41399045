/**
 * Reads the strings in which tools store credentials (contract/publisher-login.md, "Credential strings"):
 * JSON text, base64 of it, or the INI file of snapcraft 4 to 6.
 */
import {
  bindDischarge,
  decodeBase64,
  decodeBinary,
  MacaroonError,
  type UnverifiedSlice,
} from '@ratafia/macaroon'
import { type JsonObject, objectDocumentIn } from '../../foreign-json.ts'

/** Returns undefined for any other text. Throws `MacaroonError` for unreadable macaroons. */
export function storedCredential(text: string): UnverifiedSlice | undefined {
  const stored: JsonObject | undefined = jsonIn(text.trim()) ?? iniPair(text)
  if (!stored) return undefined
  const { t: type, v: value } = stored
  if (type === 'macaroon' || type === 'bearer') {
    return typeof value === 'string' ? decodeBinary(decodeBase64(value)) : undefined
  }
  const pair = type === undefined ? stored : value
  if (typeof pair !== 'object' || pair === null) return undefined
  const { r: root, d: discharge } = pair as Readonly<Record<string, unknown>>
  if (typeof root !== 'string' || typeof discharge !== 'string') return undefined
  const [macaroon] = decodeBinary(decodeBase64(root))
  const [unbound] = decodeBinary(decodeBase64(discharge))
  // Tools store the discharge unbound, as the login returned it.
  return [macaroon, bindDischarge(macaroon, unbound)]
}

/** Reads the file of snapcraft 4 to 6: a section for the login service, with a root and its discharge. */
export function iniPair(text: string): { readonly r: string; readonly d: string } | undefined {
  if (!/^[ \t]*\[[\w.:-]{1,255}\][ \t\r]*$/m.test(text.slice(0, 1000))) return undefined
  const value = (name: string) =>
    new RegExp(`^[ \\t]*${name}[ \\t]*[=:][ \\t]*([\\w+/=-]+)[ \\t\\r]*$`, 'm').exec(text)?.[1]
  const [r, d] = [value('macaroon'), value('unbound_discharge')]
  return r !== undefined && d !== undefined ? { r, d } : undefined
}

/** Returns a stored credential's JSON; a macaroon in JSON has none of these keys. */
function jsonIn(text: string): JsonObject | undefined {
  try {
    const json = text.startsWith('{') ? text : Buffer.from(decodeBase64(text)).toString('utf8')
    const value = objectDocumentIn(json)
    return value && ('t' in value || 'r' in value) ? value : undefined
  } catch (error) {
    if (error instanceof MacaroonError) return undefined
    throw error
  }
}
