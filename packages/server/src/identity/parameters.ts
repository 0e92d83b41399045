/** The parameters of a request, in its query or in a form; a parameter given twice is refused, also once in each. */
import { decodeBase64, MacaroonError } from '@ratafia/macaroon'
import type { DischargeRequest } from './discharge/discharge.ts'
import type { DischargeToken } from './discharge/interaction.ts'
import { IdentityError } from './errors.ts'

export interface Parameters {
  /** Empty and absent are the same, as for the Go discharger. Throws {@link IdentityError} `bad request`. */
  get(name: string): string | undefined
}

/** What the parser of forms makes of a body. */
export type FormBody = { form: URLSearchParams }

/** `url` with its query; `body` is a {@link FormBody}, or there was none. */
export function parametersOf(request: { readonly url: string; readonly body?: unknown }): Parameters {
  const query = request.url.indexOf('?')
  const sources = [new URLSearchParams(query < 0 ? '' : request.url.slice(query + 1))]
  const { form } = (request.body ?? {}) as Partial<FormBody>
  if (form instanceof URLSearchParams) sources.push(form)
  return {
    get: (name) => {
      const [first, ...others] = sources.flatMap((source) => source.getAll(name))
      if (others.length > 0) throw badRequest(`The parameter "${name}" is given more than once.`)
      return first === '' ? undefined : first
    },
  }
}

/** Throws {@link IdentityError} `bad request`. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw badRequest(`The parameter "${name}" is missing.`)
  return value
}

/** The parameters of a discharge (contract/bakery.md 3.1). Throws {@link IdentityError} `bad request`. */
export function dischargeParameters(parameters: Parameters): Omit<DischargeRequest, 'client'> {
  if (parameters.get('discharge-for-user') !== undefined) {
    throw badRequest('"discharge-for-user" is not offered: everybody logs in for themselves.')
  }
  const id = textOrBase64(parameters, 'id')
  if (!id) throw badRequest('The parameter "id" or "id64" is missing: the id of the caveat to discharge.')
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
  if (kind === undefined) throw badRequest('There is a "token" but no "token-kind".')
  return { kind, value }
}

/** Clients send text as it is and bytes as base64, in any of its variants; when both are there, base64 counts. */
function textOrBase64(parameters: Parameters, name: string): Uint8Array | undefined {
  const [plain, encoded] = [parameters.get(name), parameters.get(`${name}64`)]
  if (encoded !== undefined) return base64(`${name}64`, encoded)
  return plain === undefined ? undefined : Buffer.from(plain, 'utf8')
}

function base64(name: string, text: string): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    throw new IdentityError('bad request', `The parameter "${name}" is not base64.`, { cause: error })
  }
}

const badRequest = (message: string) => new IdentityError('bad request', message)

/** `Bakery-Protocol-Version`: absent or no number is 1, more than 3 is 3 (contract/bakery.md 2.1). */
export function protocolVersion(header: string | readonly string[] | undefined): number {
  const text = typeof header === 'string' ? header : ''
  return /^\d{1,4}$/.test(text) ? Math.min(Number(text), 3) : 1
}
