/** The parameters of the bakery's requests, in every spelling that clients use (contract/bakery.md 3.1). */
import { decodeBase64, MacaroonError } from '@ratafia/macaroon'
import { invalidRequest } from '../../errors.ts'
import type { Parameters } from '../parameters.ts'
import type { DischargeRequest } from './discharge.ts'
import type { DischargeToken } from './interaction.ts'

/** Reads the parameters of a discharge (contract/bakery.md 3.1). Throws `invalid-request`. */
export function dischargeParameters(parameters: Parameters): Omit<DischargeRequest, 'client'> {
  if (parameters.get('discharge-for-user') !== undefined) {
    throw invalidRequest('"discharge-for-user" is not supported: users log in for themselves.')
  }
  const id = textOrBase64(parameters, 'id')
  if (!id) throw invalidRequest('The parameter "id" or "id64" is missing: the id of the caveat to discharge.')
  const caveat = parameters.get('caveat64')
  return {
    id,
    caveat: caveat === undefined ? undefined : base64('caveat64', caveat),
    token: tokenOf(parameters),
  }
}

function tokenOf(parameters: Parameters): DischargeToken | undefined {
  const value = textOrBase64(parameters, 'token')
  if (!value) return undefined
  const kind = parameters.get('token-kind')
  if (kind === undefined)
    throw invalidRequest('The parameter "token-kind" is missing: a "token" requires it.')
  return { kind, value }
}

/**
 * Returns the parameter's bytes. Clients send text unchanged, or bytes in any variant of base64, which wins over text.
 */
function textOrBase64(parameters: Parameters, name: string): Uint8Array | undefined {
  const [plain, encoded] = [parameters.get(name), parameters.get(`${name}64`)]
  if (encoded !== undefined) return base64(`${name}64`, encoded)
  return plain === undefined ? undefined : Buffer.from(plain, 'utf8')
}

function base64(name: string, text: string): Uint8Array {
  try {
    return decodeBase64(text.trim())
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    throw invalidRequest(`The parameter "${name}" is not base64.`, { cause: error })
  }
}

/**
 * Reads `Bakery-Protocol-Version`. Absent or not a number means 1, more than 3 means 3 (contract/bakery.md
 * 2.1).
 */
export function protocolVersion(header: string | readonly string[] | undefined): number {
  const text = typeof header === 'string' ? header : ''
  return /^\d{1,4}$/.test(text) ? Math.min(Number(text), 3) : 1
}
