/** Reads a token in one of the forms in which tools store it, and writes a narrower token in the same form. */
import {
  bindDischarge,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
  MacaroonError,
  type UnverifiedSlice,
} from '@ratafia/macaroon'
import { asOnprem, asSnapcraft, type CredentialForm } from '../../credential-forms.ts'
import { documentIn, isObject } from '../../foreign-json.ts'
import { pasteFault } from '../../http/credentials/pasted.ts'
import { iniPair } from '../../http/credentials/stored.ts'
import { ServiceRefusal } from '../context.ts'
import { type GivenCredential, valueIn } from '../login/read-credential.ts'

export interface HeldToken {
  readonly form: Exclude<CredentialForm, 'env'>
  /** The token, or the root of a pair. */
  readonly macaroon: Macaroon
  /** The discharge of a pair as it is stored: not bound. */
  readonly discharge: Macaroon | undefined
}

/**
 * Reads the forms of `--for` except `env`, and a line `NAME=…` with one of them. Throws
 * {@link ServiceRefusal}, which does not repeat the text.
 */
export function heldToken({ text, name }: GivenCredential): HeldToken {
  const value = valueIn(text)
  for (const read of [stored, ini, raw, charmcraft]) {
    const held = orNone(() => read(value))
    if (held) return held
  }
  const fault = pasteFault(text)
  if (fault !== undefined) throw new ServiceRefusal(`${name} contains more than a token. ${fault}.`)
  throw new ServiceRefusal(
    `${name} does not contain a token that this command can read. It reads the forms of \`ratafia tokens create --for\` except env.`,
  )
}

/** Returns a narrower token in the form of the original. */
export function textOfHeld({ form, discharge }: HeldToken, macaroon: Macaroon): string {
  const token = textOf(macaroon)
  if (form === 'snapcraft') {
    if (!discharge) throw new TypeError('a pair without a discharge')
    return asSnapcraft({ root: token, discharge: textOf(discharge) })
  }
  if (form === 'onprem') return asOnprem({ token })
  return form === 'raw' ? token : Buffer.from(token).toString('base64')
}

/** Returns the macaroons as requests carry them: a discharge is bound to its root. */
export const presented = ({ macaroon, discharge }: HeldToken): UnverifiedSlice =>
  discharge ? [macaroon, bindDischarge(macaroon, discharge)] : [macaroon]

const textOf = (macaroon: Macaroon): string => encodeBase64Url(encodeBinary(macaroon))

/** Reads JSON, or base64 of JSON. */
function stored(text: string): HeldToken | undefined {
  const value = documentIn(text.startsWith('{') ? text : Buffer.from(decodeBase64(text)).toString('utf8'))
  if (!isObject(value)) return undefined
  const { t: type, v } = value
  if (type === 'macaroon' || type === 'bearer') {
    const macaroon = typeof v === 'string' ? only(v) : undefined
    return macaroon && { form: 'onprem', macaroon, discharge: undefined }
  }
  const { r, d } = type === undefined ? value : isObject(v) ? v : {}
  const [macaroon, discharge] = [r, d].map((one) => (typeof one === 'string' ? only(one) : undefined))
  return macaroon && discharge && { form: 'snapcraft', macaroon, discharge }
}

/** Reads the file of snapcraft 4 to 6, which newer versions no longer write. */
function ini(text: string): HeldToken | undefined {
  const pair = iniPair(text)
  return pair && stored(JSON.stringify(pair))
}

function raw(text: string): HeldToken | undefined {
  const macaroon = only(text)
  return macaroon && { form: 'raw', macaroon, discharge: undefined }
}

function charmcraft(text: string): HeldToken | undefined {
  const macaroon = only(Buffer.from(decodeBase64(text)).toString('latin1'))
  return macaroon && { form: 'charmcraft', macaroon, discharge: undefined }
}

/** Returns a single macaroon; undefined for several, because a bound discharge would not match a narrower root. */
function only(text: string): Macaroon | undefined {
  const slice = decodeBinary(decodeBase64(text))
  return slice.length === 1 ? slice[0] : undefined
}

function orNone<T>(read: () => T | undefined): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof MacaroonError) return undefined
    throw error
  }
}
