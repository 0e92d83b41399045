/**
 * Reads the macaroons that a request presents, in every spelling that real clients use. The result is parsed
 * and within the limits, but not verified.
 *
 * - `Authorization: Macaroon TOKEN`, the scheme in any case; TOKEN is base64 (any variant) of binary macaroons
 *   or of a JSON list, or JSON text
 * - `Authorization: Macaroon root=R, discharge=D`, the values quoted or not
 * - `Authorization: Bearer TOKEN`, as programs of craft-store send a plain token
 * - `Macaroons: LIST[, LIST…]`, repeated or not: base64 of a JSON list or of binary macaroons
 */
import {
  decodeBase64,
  decodeBinary,
  type Macaroon,
  MacaroonError,
  type UnverifiedSlice,
} from '@ratafia/macaroon'
import { type MacaroonsRead, slicesFromMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { RequestError, unauthorized } from '../../errors.ts'
import type { CredentialHeaders } from './digest.ts'
import { pasteFault, withoutWhiteSpace } from './pasted.ts'
import { storedCredential } from './stored.ts'

/**
 * Returns the presented slices, at least one. Skips an unreadable value if another is readable. Throws {@link
 * RequestError} `macaroon-authorization-required` if no value is readable, and `limit-exceeded` for one that
 * is too large.
 */
export function presentedMacaroons(
  headers: CredentialHeaders,
): readonly [UnverifiedSlice, ...UnverifiedSlice[]] {
  const authorization = fromAuthorization(headers.authorization)
  const macaroons = fromMacaroons(headers.macaroons)
  const [first, ...rest] = [...authorization.slices, ...macaroons.slices]
  if (first !== undefined) return [first, ...rest]
  const [problem] = [...authorization.errors, ...macaroons.errors]
  if (problem === undefined) throw unauthorized(authorization.otherScheme ? OTHER_SCHEME : NOTHING)
  if (problem.code === 'limit-exceeded') {
    throw new RequestError('limit-exceeded', `The macaroon is too large. ${problem.message}.`)
  }
  throw unauthorized(
    `The macaroon is malformed: ${problem.message}. Check how it was copied, or log in again.`,
  )
}

/**
 * Returns the macaroons in the text of a credential: what can follow `Macaroon` in the header, or a string
 * that tools store. Throws as {@link presentedMacaroons} does.
 */
export function macaroonsIn(text: string): readonly [UnverifiedSlice, ...UnverifiedSlice[]] {
  const [first] = readSafely(() => storedCredential(withoutWhiteSpace(text))).slices
  return first === undefined ? presentedMacaroons({ authorization: `Macaroon ${text}` }) : [first]
}

const NOTHING = 'The request carries no macaroon. Send one as "Authorization: Macaroon …" or "Macaroons: …".'
const OTHER_SCHEME = 'The Authorization header has a different scheme. Send "Authorization: Macaroon …".'

const SCHEMES: ReadonlySet<string> = new Set(['macaroon', 'bearer'])

interface HeaderRead extends Pick<MacaroonsRead, 'slices' | 'errors'> {
  /** The header has no macaroons; it may be meant for a reverse proxy. */
  readonly otherScheme?: boolean
}

function fromAuthorization(header: string | undefined): HeaderRead {
  const text = (header ?? '').trim()
  if (text === '') return { slices: [], errors: [] }
  const [scheme = ''] = text.split(/\s/, 1)
  const value = text.slice(scheme.length).trim()
  if (!SCHEMES.has(scheme.toLowerCase())) return { slices: [], errors: [], otherScheme: true }
  if (/^(root|discharge)=/.test(value)) return fromPair(value)
  const fault = pasteFault(value)
  if (fault !== undefined) return { slices: [], errors: [new MacaroonError('malformed', fault)] }
  return slicesFromMacaroonsHeader([base64IfJson(withoutWhiteSpace(value))], { binary: true })
}

/** Encodes JSON text as base64, so that one reader with its limits serves both. */
function base64IfJson(value: string): string {
  if (value.startsWith('{')) return Buffer.from(`[${value}]`).toString('base64url')
  return value.startsWith('[') ? Buffer.from(value).toString('base64url') : value
}

function fromMacaroons(header: string | readonly string[] | undefined): MacaroonsRead {
  const values = header === undefined ? [] : typeof header === 'string' ? [header] : header
  return slicesFromMacaroonsHeader(values, { binary: true })
}

/** The Ubuntu One spelling: `root=…, discharge=…`, each base64 of one macaroon. */
const fromPair = (value: string): HeaderRead =>
  readSafely(() => {
    const found = new Map<string, Macaroon[]>([
      ['root', []],
      ['discharge', []],
    ])
    for (const part of value.split(',')) {
      const [, name = '', quoted, bare] = /^\s*([a-z]+)=(?:"([^"\s]*)"|([^"\s]*))\s*$/.exec(part) ?? []
      const list = found.get(name)
      if (!list) throw new MacaroonError('malformed', 'A part is neither root=… nor discharge=…')
      list.push(...decodeBinary(decodeBase64(quoted ?? bare ?? '')))
    }
    const [root, ...more] = found.get('root') ?? []
    if (root === undefined || more.length > 0)
      throw new MacaroonError('malformed', 'There must be one root=…')
    return [root, ...(found.get('discharge') ?? [])]
  })

function readSafely(read: () => UnverifiedSlice | undefined): HeaderRead {
  try {
    const slice = read()
    return { slices: slice ? [slice] : [], errors: [] }
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    return { slices: [], errors: [error] }
  }
}
