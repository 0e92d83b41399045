import {
  accountId,
  faulty,
  optionalText,
  optionalTextList,
  text,
  timestamp,
} from '../headers/header-checks.ts'
import type { Headers } from '../headers/header-value.ts'
import { quote } from '../text.ts'
import type { TypeRow } from './row.ts'

export interface StoreFields {
  readonly store: string
  readonly operatorId: string
  /** The store's URL: `http` or `https`, with a host, without query and fragment. */
  readonly url: string | undefined
  readonly friendlyStores: readonly string[]
  readonly location: string | undefined
  readonly timestamp: Date
}

/** A trusted account's statement of where a store is and who runs it. */
export const store: TypeRow<StoreFields> = {
  authority: true,
  primaryKey: ['store'],
  maxFormat: 0,
  read: ({ headers }) => ({
    store: text(headers, 'store'),
    operatorId: accountId(headers, 'operator-id'),
    url: optionalUrl(headers),
    friendlyStores: optionalTextList(headers, 'friendly-stores') ?? [],
    location: optionalText(headers, 'location'),
    timestamp: timestamp(headers),
  }),
}

/** The parts of a URL (RFC 3986, appendix B). The URL class would correct mistakes that snapd refuses. */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?[^?#]*(\?[^#]*)?(#.*)?$/s

function optionalUrl(headers: Headers): string | undefined {
  const url = optionalText(headers, 'url')
  if (url === undefined || url === '') return undefined
  const [, scheme, host, query, fragment] = PARTS.exec(url) ?? []
  if (scheme !== 'https' && scheme !== 'http') {
    throw faulty('url', `must begin with https: or http:, but is ${quote(url)}`)
  }
  if (host === undefined || host === '') throw faulty('url', `has no host: ${quote(url)}`)
  if (query !== undefined) throw faulty('url', `has a query: ${quote(url)}`)
  if (fragment !== undefined) throw faulty('url', `has a fragment: ${quote(url)}`)
  if (/[\p{C}\p{Z}]/u.test(url) || !URL.canParse(url)) throw faulty('url', `is not a URL: ${quote(url)}`)
  return url
}
