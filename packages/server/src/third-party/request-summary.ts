/**
 * A summary of the request for a token. It is sealed to the identity service in the third-party caveat's condition
 * (`is-authenticated-userid for {…}`), so that the confirmation page can show what the token will permit.
 *
 * The text has at most 800 bytes, so that the caveat's id stays under 1 KiB. Long lists and strings are shortened and
 * marked as such. Permissions are never left out.
 */

export const MAX_SUMMARY_BYTES = 800

export interface SummaryList {
  readonly items: readonly string[]
  /** The number of items that are left out. */
  readonly more: number
}

/** A summary. A list that is `null` means no limit. */
interface Summary<List> {
  /** The URL of the requesting service. */
  readonly service: string
  readonly permissions: List | null
  readonly channels: List | null
  /** The packages as the user knows them: names if the request had names. */
  readonly packages: List | null
  readonly storeIds: List | null
  readonly expires: Date | undefined
  readonly description: string | undefined
  /** The roles of a management token, which has no other permissions. */
  readonly administers?: Administers<List> | undefined
  /** How long ago the user may have signed in, in seconds. Undefined for as long as a browser stays signed in. */
  readonly maxAge?: number | undefined
  /** The console form that the user confirms their identity for: a key of `CONFIRMED`, or empty for other forms. */
  readonly confirms?: string | undefined
}

interface Administers<List> {
  /** The requested roles; null for all that the account has. */
  readonly roles: List | null
  readonly brands: List | null
  readonly readOnly: boolean
}

export type SummaryInput = Summary<readonly string[]>
export type RequestSummary = Summary<SummaryList>

const MAX_SERVICE = 160
const MAX_DESCRIPTION = 120
const MAX_ITEM = 48
/** The maximum number of items per list. */
const MAX_ITEMS = 40

/** Returns the summary as one line of JSON, at most {@link MAX_SUMMARY_BYTES} long. */
export function formatSummary(input: SummaryInput): string {
  const { administers, maxAge, confirms } = input
  const shorter = (items: readonly string[] | null | undefined) =>
    items?.slice(0, MAX_ITEMS).map((item) => cut(item, MAX_ITEM)) ?? []
  const [channels, packages, stores] = [input.channels, input.packages, input.storeIds].map(shorter) as [
    string[],
    string[],
    string[],
  ]
  const brands = shorter(administers?.brands)
  const lists = [channels, packages, stores, brands]
  let service = cut(input.service, MAX_SERVICE)
  let description =
    input.description === undefined ? undefined : cut(onOneLine(input.description), MAX_DESCRIPTION)
  for (;;) {
    const wire: WireSummary = {
      service,
      permissions: input.permissions,
      channels: shortened(channels, input.channels),
      packages: shortened(packages, input.packages),
      stores: shortened(stores, input.storeIds),
      expires: input.expires?.toISOString() ?? null,
      description: description ?? null,
      ...(administers && {
        administers: {
          roles: administers.roles,
          brands: shortened(brands, administers.brands),
          read_only: administers.readOnly,
        },
      }),
      ...(maxAge === undefined ? {} : { max_age: maxAge }),
      ...(confirms === undefined ? {} : { confirms }),
    }
    const json = JSON.stringify(wire)
    if (Buffer.byteLength(json) <= MAX_SUMMARY_BYTES) return json
    // Drop the last item of the longest list. When all lists are short, halve the description, and then the URL.
    const longest = lists.reduce((a, b) => (bytes(b) > bytes(a) ? b : a))
    if (bytes(longest) > Buffer.byteLength(description ?? '')) longest.pop()
    else if (description) description = cut(description, description.length >> 1)
    else service = cut(service, service.length >> 1)
  }
}

/** Parses a summary; `undefined` for any other text. Ignores unknown fields, so that newer issuers can add some. */
export function parseSummary(text: string): RequestSummary | undefined {
  if (Buffer.byteLength(text) > MAX_SUMMARY_BYTES) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const {
    service,
    expires,
    description,
    administers: wide,
    max_age,
    confirms,
    ...lists
  } = value as Record<string, unknown>
  const administers = parseAdministers(wide)
  const permissions = parseList(lists['permissions'])
  const channels = parseList(lists['channels'])
  const packages = parseList(lists['packages'])
  const storeIds = parseList(lists['stores'])
  const until = expires === null ? undefined : parseInstant(expires)
  if (
    typeof service !== 'string' ||
    // Permissions are never shortened, so a count among them is not from this program.
    permissions === undefined ||
    (permissions !== null && permissions.more > 0) ||
    channels === undefined ||
    packages === undefined ||
    storeIds === undefined ||
    until === null ||
    administers === null ||
    !(max_age === undefined || (Number.isSafeInteger(max_age) && Number(max_age) >= 0)) ||
    !(description === null || typeof description === 'string')
  ) {
    return undefined
  }
  return {
    service,
    permissions,
    channels,
    packages,
    storeIds,
    expires: until,
    description: description ?? undefined,
    ...(administers && { administers }),
    ...(max_age === undefined ? {} : { maxAge: Number(max_age) }),
    ...(typeof confirms === 'string' ? { confirms } : {}),
  }
}

/** Parses the field; null if it cannot be read. */
function parseAdministers(value: unknown): Administers<SummaryList> | null | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null) return null
  const { roles, brands, read_only: readOnly } = value as Record<string, unknown>
  const read = { roles: parseList(roles), brands: parseList(brands) }
  if (read.roles === undefined || read.brands === undefined || typeof readOnly !== 'boolean') return null
  // Roles are never shortened.
  if (read.roles !== null && read.roles.more > 0) return null
  return { roles: read.roles, brands: read.brands, readOnly }
}

/** Strings, and possibly a number at the end, which counts the items left out. */
type WireList = readonly (string | number)[] | null

interface WireSummary {
  readonly service: string
  readonly permissions: WireList
  readonly channels: WireList
  readonly packages: WireList
  readonly stores: WireList
  readonly expires: string | null
  readonly description: string | null
  readonly administers?: {
    readonly roles: WireList
    readonly brands: WireList
    readonly read_only: boolean
  }
  readonly max_age?: number
  readonly confirms?: string
}

const shortened = (shown: readonly string[], all: readonly string[] | null): WireList =>
  all && (shown.length === all.length ? shown : [...shown, all.length - shown.length])

function parseList(value: unknown): SummaryList | null | undefined {
  if (value === null) return null
  if (!Array.isArray(value)) return undefined
  const last: unknown = value.at(-1)
  const more = typeof last === 'number' && Number.isSafeInteger(last) && last > 0 ? last : 0
  const items: unknown[] = more > 0 ? value.slice(0, -1) : value
  return items.every((item) => typeof item === 'string') ? { items, more } : undefined
}

/** Parses an instant; `null` for any other value. */
function parseInstant(value: unknown): Date | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return null
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : date
}

const onOneLine = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')

const bytes = (items: readonly string[]): number =>
  items.reduce((sum, item) => sum + Buffer.byteLength(item) + 3, 0)

/** Cuts a string to at most `length` UTF-16 units, never within a character, and adds `…` if something is missing. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed()
  if (length <= 1) return ''
  return `${text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()}…`
}
