/**
 * The strings in which tools store credentials (contract/publisher-login.md, "Credential strings"), read: JSON text, or
 * base64 of it.
 */
import {
  bindDischarge,
  decodeBase64,
  decodeBinary,
  MacaroonError,
  type UnverifiedSlice,
} from '@ratafia/macaroon'

/** Undefined for any other text. Throws `MacaroonError` for macaroons that cannot be read. */
export function storedCredential(text: string): UnverifiedSlice | undefined {
  const stored = jsonIn(text.trim())
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
  // It is stored as the login gave it.
  return [macaroon, bindDischarge(macaroon, unbound)]
}

/** A macaroon in JSON has none of these keys. */
function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = text.startsWith('{') ? text : Buffer.from(decodeBase64(text)).toString('utf8')
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null || !('t' in value || 'r' in value)) return undefined
    return value as Readonly<Record<string, unknown>>
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MacaroonError) return undefined
    throw error
  }
}
