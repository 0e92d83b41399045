/**
 * Parsers for the text of a variable. Each throws an `Error` whose message follows the variable's name ("RATAFIA_PORT
 * is not a port: …") and never repeats a value that may be secret.
 */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { isNetwork } from '../addresses/address-classes.ts'
import { urlFault } from '../text/url-fault.ts'

/** A day in milliseconds. */
const DAY = 86_400_000
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY }

export function parseDuration(value: string): number {
  const [, amount, unit] = /^([1-9][0-9]{0,8})([smhd])$/.exec(value) ?? []
  const milliseconds = Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN)
  // A century: beyond it, clients' libraries cannot format the dates.
  if (!(milliseconds <= 36_525 * DAY)) {
    throw new Error(
      `is not a duration: ${value}. Write a number followed by s, m, h or d, such as 365d, up to 36525d.`,
    )
  }
  return milliseconds
}

/** Parses a duration, or 0 for no delay. */
export const parseDelay = (value: string): number => (/^0s?$/.test(value) ? 0 : parseDuration(value))

/** Parses a duration that exceeds both the clock difference of nodes and the validity of single-use values. */
export function parseRetention(value: string): number {
  const milliseconds = parseDuration(value)
  if (milliseconds >= 3_600_000) return milliseconds
  throw new Error(`is ${value}. Keep rows for at least 1h.`)
}

/** Parses a duration that is at least the shortest lifetime of a job's token. */
export function parseJobLifetime(value: string): number {
  const milliseconds = parseDuration(value)
  if (milliseconds >= 60_000) return milliseconds
  throw new Error(`is ${value}. The token of a job lives for at least 60s.`)
}

export function parseWorkers(value: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(value)) return Number(value)
  throw new Error(`is not a number of processes from 1 to 999: ${value}.`)
}

export function parsePort(value: string): number {
  if (/^tcp:/.test(value)) {
    throw new Error(
      `is ${value}, which Kubernetes sets for a Service with this name. Set enableServiceLinks: false in the pod.`,
    )
  }
  if (!/^[0-9]{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new Error(`is not a port: ${value}. Write a number from 0 to 65535.`)
  }
  return Number(value)
}

export function oneOf<const T extends string>(...choices: readonly T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((one) => one === value)
    if (choice === undefined) throw new Error(`is ${value}; it can be ${choices.join(', ')}.`)
    return choice
  }
}

/** Returns the URL without a trailing slash. */
export function parseServiceUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@\s]/.test(value)) {
    // The text after one of these may be a secret.
    const shown = value === '' || /[?#@]/.test(value) ? '' : `is ${value}, which `
    throw new Error(`${shown}${faultOf(value)}. Write an address such as https://store.example.com.`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Returns what is wrong with a refused address, to follow "It". */
const faultOf = (value: string, allowed?: Parameters<typeof urlFault>[1]): string =>
  urlFault(value, allowed) ?? 'cannot be read'

/** Parses a list with {@link parseServiceUrl}. Each item gets a trailing slash, so that paths can be appended. */
export function parseServiceUrls(value: string): readonly string[] {
  // Checks the whole value: if a password contains a comma, the first item has no @ and would be shown.
  if (/[?#@]/.test(value)) {
    const fault = value.split(',').flatMap((one) => urlFault(one.trim()) ?? [])[0]
    throw new Error(`has an item that ${fault}. Write an address such as https://store.example.com.`)
  }
  return value.split(',').map((one) => `${parseServiceUrl(one.trim())}/`)
}

/** Headers that a proxy must not forward (RFC 9110, 7.6.1), or writes itself. */
const NOT_FORWARDED =
  /^(accept-encoding|connection|content-length|expect|forwarded|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-real-ip|x-snap-device-service-url)$/

/** Returns the names in lower case. */
export function parseHeaderNames(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const name = item.trim().toLowerCase()
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name)) {
      throw new Error(`has an item that is not the name of a header: ${name || '(empty)'}.`)
    }
    if (NOT_FORWARDED.test(name)) {
      throw new Error(
        `has ${name}, which concerns a single connection and cannot be forwarded. Leave it out.`,
      )
    }
    return name
  })
}

/** Returns a path of plain segments with a leading and without a trailing slash. */
export function parsePath(value: string): string {
  if (/^(\/[A-Za-z0-9._-]+)+\/?$/.test(value) && !/\/\.{1,2}(\/|$)/.test(value))
    return value.replace(/\/$/, '')
  throw new Error(
    `is not a path of letters, digits, dots, dashes and underscores: ${value}. Write one such as /v1.`,
  )
}

export function parseCount(value: string): number {
  if (/^[1-9][0-9]{0,6}$/.test(value)) return Number(value)
  throw new Error(`is not a number from 1 to 9999999: ${value}.`)
}

/** Parses a host name or an IP address, without a port. */
export function parseHost(value: string): string {
  if (isIP(value) !== 0 || /^(?!-)[A-Za-z0-9-]{1,63}(\.(?!-)[A-Za-z0-9-]{1,63})*$/.test(value)) return value
  throw new Error(
    `is neither a host name nor an IP address: ${value}. Write one such as 127.0.0.1; the port is RATAFIA_PORT.`,
  )
}

/** Parses a bare host with an optional port. It is compared as text, so the value does not change. */
export function parseHostAndPort(value: string): string {
  const [, host = '', port = '1'] = /^(\[[0-9a-fA-F:.]+\]|[^:/\s[\]]+)(?::(\d{1,5}))?$/.exec(value) ?? []
  const isName = /^(?!-)[A-Za-z0-9-]{1,63}(\.(?!-)[A-Za-z0-9-]{1,63})*$/.test(host)
  if ((isName || isIP(host.replace(/[[\]]/g, '')) !== 0) && Number(port) >= 1 && Number(port) <= 65_535)
    return value
  throw new Error(`is not a host, such as store.example.com or 127.0.0.1:8080: ${value}.`)
}

/** Checks whether the host means every address of the machine. Clients cannot connect to such an address. */
export const isEveryAddress = (host: string): boolean =>
  host === '0.0.0.0' || (isIP(host) === 6 && /^[0:.]+$/.test(host))

/** Checks that no third party can read or change the traffic: it uses https, or http on this machine. */
export const isConfidential = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.[0-9.]+|\[::1\])$/.test(hostname))

/** Parses the URL of a service whose key we trust. */
export function parseIdentityUrl(value: string): string {
  const url = new URL(parseServiceUrl(value))
  if (!isConfidential(url)) {
    throw new Error(`is not https: ${value}. Only an identity service on a loopback address can use http.`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Never shows the value, because it may contain a password. */
export function parseProxyUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isProxy = url?.protocol === 'http:' && url.pathname === '/' && !/[?#\s]/.test(value)
  if (url && isProxy && decodes(url.username) && decodes(url.password)) return url.href
  const fault = urlFault(value, { schemes: ['http'], parts: '@' })
  throw new Error(
    `is not the address of an HTTP proxy${fault === undefined ? '' : `: it ${fault}`}. Write one such as http://proxy.example.com:3128.`,
  )
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Parses 32 bytes in base64 (either alphabet) or hex. Throws without repeating the value. */
export function parseSecretKey(value: string): Uint8Array {
  const text = value.trim()
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error('is not a key of 32 bytes in base64 or hex. `openssl rand -base64 32` creates one.')
}

export function parsePublicKey(value: string): Uint8Array {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) {
    throw new Error(
      'is not a public key: 32 bytes in base64, as shown at `/discharge/info` of the identity service.',
    )
  }
  return Buffer.from(value, 'base64')
}

/** Parses a comma-separated list of `URL=KEY`. A service can have several keys, for example while its key changes. */
export function parseKnownServices(
  value: string,
): readonly { readonly url: string; readonly publicKey: Uint8Array }[] {
  return value.split(',').map((item) => {
    // A key in base64 can itself end with "=".
    const [, url = '', key = ''] = /^([^=]*)=([A-Za-z0-9+/_-]{43}=?)$/.exec(item.trim()) ?? []
    if (url === '') {
      throw new Error(
        'has an item that is not URL=KEY, where KEY is 32 bytes in base64. `ratafia keys list` on that service shows the key, with the kind "issuer".',
      )
    }
    return { url: parseServiceUrl(url), publicKey: Buffer.from(key, 'base64') }
  })
}

/** Returns the URLs of web sites that browsers are sent back to with a code, as `URL` writes them. */
export function parseReturnTo(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const text = item.trim()
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || !isConfidential(url) || /[?#@\s]/.test(text)) {
      const fault = urlFault(text)
      throw new Error(
        `has an item that ${fault ?? 'is neither an https address nor an http loopback address'}. Write an address such as https://app.example.com/callback, or end it with a slash to include all addresses below it.`,
      )
    }
    return url.href
  })
}

/** Parses the name of an installation: one line of visible characters. */
export function parseName(value: string): string {
  if (value.length <= 64 && /^\P{C}+$/u.test(value) && value.trim() === value) return value
  throw new Error('is not a name. Write 1 to 64 visible characters, without leading or trailing spaces.')
}

/** Returns the contacts as URIs; an e-mail address becomes `mailto:`. */
export function parseContacts(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const contact = item.trim()
    if (/^(https:\/\/|mailto:|tel:)[!-~]+$/.test(contact)) return contact
    if (/^[!-~]+@[!-~]+$/.test(contact) && !contact.includes(':')) return `mailto:${contact}`
    throw new Error(
      `has an item that is not a contact: ${contact || '(empty)'}. Write an e-mail address, or a URL with https:, mailto: or tel:.`,
    )
  })
}

/** Returns the lifetime of a management token in milliseconds. */
export function parseManagementLifetime(value: string): number {
  const duration = parseDuration(value)
  if (duration >= 60_000 && duration <= MOST_MANAGEMENT_MS) return duration
  throw new Error(`is ${value}; it must be from 1m to 24h. A management token cannot be renewed.`)
}

/** The longest lifetime that can be requested for a management token. */
export const MOST_MANAGEMENT_MS = 24 * 60 * 60_000

export function parseProxies(value: string): readonly string[] {
  const proxies = value.split(',').map((item) => item.trim())
  for (const proxy of proxies) {
    if (!isNetwork(proxy)) {
      throw new Error(
        `has an item that is not an address or CIDR block: ${proxy || '(empty)'}. Write, for example, 10.0.0.0/8, 192.0.2.7.`,
      )
    }
  }
  return proxies
}

/** Returns the absolute path. Throws an `Error` whose message follows the variable's name. */
export function parseFilePath(value: string): string {
  const problem = pathProblem(value)
  if (problem !== undefined) throw new Error(problem)
  return resolve(value)
}

/** Returns what is wrong with a path, to follow its name, with the probable intention; undefined for a usable path. */
export function pathProblem(value: string): string | undefined {
  const shown = JSON.stringify(value)
  const meant = value.trim().replace(/^(["'])(.*)\1$/s, '$2')
  if (/[\r\n]/.test(value.trim()) || value.includes('\0')) {
    return `is ${shown}, which is not a path. Write one path, such as /srv/ratafia.`
  }
  if (value !== value.trim()) {
    return `is ${shown}, with leading or trailing white space. Write ${meant} without it.`
  }
  if (/^["']|["']$/.test(value)) {
    return `is ${shown}, with quotes that are not removed here. Write ${meant} without them.`
  }
  if (value.startsWith('~')) {
    return `is ${value}, but only a shell expands ~. Write the whole path, such as /home/USER${value.replace(/^~[^/]*/, '')}.`
  }
  const [variable] = /\$(\w+|\{\w+\})|^%[hS](?=\/|$)/.exec(value) ?? []
  if (variable !== undefined)
    return `is ${value}, but ${variable} is not expanded here. Write the whole path.`
  if (/^[a-z][a-z0-9+.-]+:\//i.test(value)) {
    return `is ${value}, which is a URL. Write a path${value.startsWith('file:') ? `: ${value.replace(/^file:\/*/, '/')}` : ', such as /srv/ratafia'}.`
  }
  return undefined
}
