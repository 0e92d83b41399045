/** Parses the variables of reminders. No message repeats a value, because most values are or contain secrets. */
import { isIP } from 'node:net'
import {
  classOf,
  firstAddressOf,
  hostIn,
  isLoopbackHost,
  isNetwork,
} from '../../addresses/address-classes.ts'
import { isUnprintable } from '../../text/joiners.ts'
import { urlFault } from '../../text/url-fault.ts'
import { isConfidential } from '../values.ts'

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** Whether TLS begins with the first byte. */
  readonly secure: boolean
  readonly loopback: boolean
  readonly login: { readonly user: string; readonly password: string } | undefined
}

/** Parses `smtp://USER:PASSWORD@HOST:PORT` or `smtps://…`, with the default ports 587 and 465. */
export function parseSmtpUrl(value: string): SmtpServer {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const host = url && smtpHost(url)
  const login = url && loginIn(url)
  const isServer = /^smtps?:$/.test(url?.protocol ?? '') && /^\/?$/.test(url?.pathname ?? '')
  if (!url || !isServer || host === undefined || login === null || /[?#\s]/.test(value)) {
    const fault = urlFault(value, { schemes: ['smtp', 'smtps'], parts: '@' })
    throw new Error(
      `is not the address of a mail server${fault === undefined ? '' : `: it ${fault}`}. Write one such as smtps://USER:PASSWORD@mail.example.com, with %40 for @ and %2F for / in user and password.`,
    )
  }
  const secure = url.protocol === 'smtps:'
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port)
  return { host, port, secure, loopback: host === 'localhost' || isLoopbackHost(host), login }
}

/** Checks the host, because `URL` does not for a scheme that it does not know. */
function smtpHost(url: URL): string | undefined {
  const host = hostIn(url).toLowerCase()
  const isName = /^(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*$/.test(host)
  return (isName || isIP(host) !== 0) && url.port !== '0' ? host : undefined
}

/** Returns null for an unreadable login, and undefined if there is no login. */
function loginIn({ username, password }: URL): SmtpServer['login'] | null {
  if (username === '' && password === '') return undefined
  try {
    const login = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
    const isWhole =
      login.user !== '' && login.password !== '' && !/[\p{Cc}]/u.test(login.user + login.password)
    return isWhole ? login : null
  } catch {
    return null
  }
}

export interface MailSender {
  readonly name: string
  readonly address: string
}

/** Parses `ADDRESS` or `NAME <ADDRESS>`. */
export function parseSender(value: string): MailSender {
  const [, name = '', between, alone] =
    /^(?:([\p{L}\p{N}][\p{L}\p{M}\p{N}\p{Join_Control} .'()_-]{0,63}) <([^<>]*)>|([^<>]*))$/u.exec(value) ??
    []
  const address = between ?? alone ?? ''
  const isAddress =
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(address)
  if (isAddress && !isUnprintable(name)) return { name, address }
  throw new Error(
    'is not a valid sender. Write an address, such as ratafia@store.example.com, or Store <ratafia@store.example.com>.',
  )
}

/** Parses an https URL, or an http URL on this machine. */
export function parseWebhookUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    const fault = urlFault(value, { parts: '?#' })
    throw new Error(
      `is not an https address without credentials${fault === undefined ? '' : `: it ${fault}`}. Write one such as https://hooks.example.com/ratafia.`,
    )
  }
  // A query is allowed, because it may be a secret that the receiver uses to identify callers. The others are not sent.
  if (/[#\s]/.test(value))
    throw new Error(`${urlFault(value, { parts: '?' }) ?? 'has a space'}. Leave it out.`)
  if (!isConfidential(url) || (url.protocol === 'http:' && !isLoopbackHost(hostIn(url)))) {
    throw new Error(
      'is not https. Only a webhook at a loopback address, such as http://127.0.0.1:9000, can use http.',
    )
  }
  return url.href
}

const LEAST_SECRET = 32
const MOST_SECRET = 512

/** Parses the secret for signatures, which must be printable so that both sides use the same bytes. */
export function parseWebhookSecret(value: string): string {
  const secret = value.trim()
  if (secret.length >= LEAST_SECRET && secret.length <= MOST_SECRET && /^[\x21-\x7e]+$/.test(secret))
    return secret
  throw new Error(
    `is not a secret of ${LEAST_SECRET} to ${MOST_SECRET} printable characters without spaces. \`openssl rand -hex 32\` creates one.`,
  )
}

/** Parses the private networks that a webhook may be in. */
export function parsePrivateNetworks(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const network = item.trim()
    if (isNetwork(network) && classOf(firstAddressOf(network)) === 'private') return network
    throw new Error('has an item that is not a private network. Write, for example, 10.20.0.0/16.')
  })
}
