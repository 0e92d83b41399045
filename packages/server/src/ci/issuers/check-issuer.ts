/** Checks the settings of a new issuer (contract/oidc.md, A3, A4, A8, A16, A19). */
import { isIP } from 'node:net'
import {
  classOf,
  firstAddressOf,
  hostIn,
  isLoopbackHost,
  isNetwork,
} from '../../addresses/address-classes.ts'
import { invalidField, quote } from '../../errors.ts'
import { urlFault } from '../../text/url-fault.ts'
import { type Issuer, type IssuerSettings, LONGEST_LIFE } from './issuer.ts'
import { KIND_NAMES, KINDS, type KindName } from './kinds.ts'

/** An absent or empty option means the default. */
export interface WantedIssuer {
  readonly url: string
  readonly kind: string
  readonly audience?: string | undefined
  readonly otherAudiences?: readonly string[] | undefined
  readonly privateAddresses?: readonly string[] | undefined
  readonly stableClaims?: readonly string[] | undefined
  /** The longest accepted lifetime of an ID token, in milliseconds. */
  readonly longestLife?: number | undefined
  readonly namesCanBeReused?: boolean | undefined
}

export const LONGEST_ISSUER_URL = 500
const LONGEST_TEXT = 255
const MOST_ITEMS = 50

/** Throws `invalid-field`. */
export function checkIssuer(wanted: WantedIssuer): Pick<Issuer, 'url' | 'kind' | 'settings'> {
  const kind = checkKind(wanted.kind)
  return { url: checkUrl(wanted.url), kind, settings: checkSettings(kind, wanted) }
}

function checkKind(kind: string): KindName {
  const found = KIND_NAMES.find((name) => name === kind)
  if (found) return found
  throw invalidField(`There is no kind ${quote(kind)}. The kinds are ${KIND_NAMES.join(', ')}.`, {
    field: 'kind',
  })
}

function checkUrl(text: string): string {
  // The part before an @ or after a ? may be a secret.
  const shown = /[?#@]/.test(text) ? 'The URL' : `The URL ${quote(text)}`
  const refused = (why: string) => invalidField(`${shown} ${why}.`, { field: 'url' })
  // A URL parser would drop or replace some characters, but the text is compared with `iss` byte for byte.
  const fault =
    (text.length > LONGEST_ISSUER_URL && `has more than ${LONGEST_ISSUER_URL} characters`) ||
    urlFault(text) ||
    (!/^https?:/.test(text) && 'has capitals before the ://') ||
    (/\/\.{1,2}(?:\/|$)/.test(text) && 'has . or .. as a segment of its path') ||
    (!/^[\x21-\x7e]+$/.test(text) &&
      'has letters outside ASCII: write the host in punycode, and percent-encode the path')
  if (fault) throw refused(`is not valid for an issuer: it ${fault}`)
  const url = new URL(text)
  const { protocol } = url
  // 0x7f.1 is also an address, but the list of issuers should show its usual form.
  if (isIP(hostIn(url)) !== 0 && !text.includes(`://${url.hostname}`)) {
    throw refused(`has an IP address in an unusual form. Write ${url.hostname}`)
  }
  if (protocol !== 'https:' && !isLoopbackHost(hostIn(url))) {
    throw refused('is not https. Only loopback addresses, such as http://127.0.0.1:8080, can use http')
  }
  return text
}

function checkSettings(kind: KindName, wanted: WantedIssuer): IssuerSettings {
  const { longestLife = LONGEST_LIFE.standard } = wanted
  if (longestLife < LONGEST_LIFE.standard || longestLife > LONGEST_LIFE.most) {
    throw invalidField('The longest lifetime of an ID token must be between 24h and 7d.', {
      field: 'max-life',
    })
  }
  const [audience = null] = checkTexts('audience', wanted.audience === undefined ? [] : [wanted.audience])
  const stableClaims = checkTexts('stable-claims', wanted.stableClaims)
  if (stableClaims.length > 0 && kind !== 'generic') {
    throw invalidField(
      `--stable-claims only works with --kind generic. ${KINDS[kind].title} always uses ${KINDS[kind].stableIds.join(', ')}.`,
      { field: 'stable-claims' },
    )
  }
  return {
    audience,
    otherAudiences: checkTexts('other-audience', wanted.otherAudiences),
    privateAddresses: checkTexts('private-address', wanted.privateAddresses).map(checkNetwork),
    stableClaims: stableClaims.length === 0 ? null : stableClaims,
    namesCanBeReused: wanted.namesCanBeReused ?? false,
    longestLife,
  }
}

function checkTexts(field: string, given: readonly string[] = []): readonly string[] {
  const items = [...new Set(given)]
  if (items.length > MOST_ITEMS) {
    throw invalidField(`There are more than ${MOST_ITEMS} --${field} options.`, { field })
  }
  const bad = items.find((item) => item.length > LONGEST_TEXT || !/^[\x21-\x7e]+$/.test(item))
  if (bad === undefined) return items
  throw invalidField(`--${field} ${quote(bad)} is not 1 to ${LONGEST_TEXT} printable ASCII characters.`, {
    field,
  })
}

function checkNetwork(network: string): string {
  if (!isNetwork(network)) {
    throw invalidField(
      `--private-address ${quote(network)} is not a network. Write, for example, 10.20.0.0/16.`,
      { field: 'private-address' },
    )
  }
  const found = classOf(firstAddressOf(network))
  if (found === 'private') return network
  const why = found === 'public' ? 'needs no permission' : 'is never used'
  throw invalidField(`--private-address ${network} is not a private network. A ${found} address ${why}.`, {
    field: 'private-address',
  })
}
