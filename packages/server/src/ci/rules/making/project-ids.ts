/**
 * Looks up the ids of a project once by its URL, because users don't know them (contract/oidc.md, "Commands and
 * pipelines"). The rule matches only the ids, so a later owner of the URL gets nothing.
 */
import { invalidField, quote, Unavailable } from '../../../errors.ts'
import { documentIn, isObject } from '../../../foreign-json.ts'
import { urlFault } from '../../../text/url-fault.ts'
import type { Issuer } from '../../issuers/issuer.ts'
import type { FetchDocument } from '../../issuers/keys/fetch-keys.ts'
import type { KindName } from '../../issuers/kinds.ts'

export interface ProjectIds {
  /** The project's name, as its host writes it. */
  readonly project: string
  /** The ids by claim, for the rule. */
  readonly ids: Readonly<Record<string, string>>
}

/** How to get the ids of a project from a forge. */
interface Forge {
  /** Returns the URL of the site whose jobs have tokens of the issuer, without a trailing slash. */
  readonly siteOf: (issuer: URL) => string
  /** Returns the API's URL for a project. */
  readonly api: (site: string, path: string) => string
  /** Whether projects can be in nested groups. */
  readonly nested: boolean
  /** The key of the project's name in the answer. For each claim, `ids` has the path of keys to its value. */
  readonly name: string
  readonly ids: Readonly<Record<string, readonly string[]>>
}

const FORGES: Partial<Readonly<Record<KindName, Forge>>> = {
  github: {
    // https://token.actions.githubusercontent.com, https://token.actions.SUB.ghe.com, https://HOST/_services/token
    siteOf: ({ host, origin }) => {
      const [, tenant] = /^token\.actions\.([a-z0-9-]+\.ghe\.com)$/.exec(host) ?? []
      if (tenant !== undefined) return `https://${tenant}`
      return host === 'token.actions.githubusercontent.com' ? 'https://github.com' : origin
    },
    api: (site, path) => {
      const { host, origin } = new URL(site)
      const cloud = host === 'github.com' || host.endsWith('.ghe.com')
      return `${cloud ? `https://api.${host}` : `${origin}/api/v3`}/repos/${path}`
    },
    nested: false,
    name: 'full_name',
    ids: { repository_id: ['id'], repository_owner_id: ['owner', 'id'] },
  },
  gitlab: {
    siteOf: ({ href }) => withoutSlash(href),
    api: (site, path) => `${site}/api/v4/projects/${encodeURIComponent(path)}`,
    nested: true,
    name: 'path_with_namespace',
    ids: { project_id: ['id'] },
  },
  forgejo: {
    siteOf: ({ href }) => withoutSlash(href).replace(/\/api\/actions$/, ''),
    api: (site, path) => `${site}/api/v1/repos/${path}`,
    nested: false,
    name: 'full_name',
    ids: { repository_id: ['id'] },
  },
}

/**
 * Throws `invalid-field` unless the address is that of a project whose jobs have tokens of the issuer, and
 * `Unavailable` if the ids cannot be looked up.
 */
export async function lookUpIds(
  address: string,
  issuer: Issuer,
  fetchDocument: FetchDocument,
): Promise<ProjectIds> {
  const forge = FORGES[issuer.kind]
  if (!forge) {
    throw refused(`--from-url works with ${Object.keys(FORGES).join(', ')}. Pass the ids with --match.`)
  }
  const site = forge.siteOf(new URL(issuer.url))
  const path = pathOf(address, site, forge)
  const from = { issuer: issuer.url, privateAddresses: issuer.settings.privateAddresses }
  const text = await fetchDocument(forge.api(site, path), from).catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
    const hint = `If the project is private, pass its ids with --match: ${Object.keys(forge.ids).join(', ')}.`
    throw new Unavailable(`${error.message} ${hint}`, { cause: error })
  })
  return idsFrom(text, forge)
}

/** Excludes `.` and `..`, which would lead to another URL. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,255}$/
const MOST_NAMES = 20

function pathOf(address: string, site: string, { nested }: Forge): string {
  const url = address.length <= 2000 && URL.canParse(address) ? new URL(address) : undefined
  const { href = '', search, hash, username, password } = url ?? {}
  // On another site, the same id belongs to another project.
  const path = href.startsWith(`${site}/`) ? href.slice(site.length + 1).replace(/\/$|\.git\/?$/, '') : ''
  const names = path.split('/')
  const fits = nested ? names.length >= 2 && names.length <= MOST_NAMES : names.length === 2
  if (search || hash || username || password || !fits || !names.every((name) => NAME.test(name))) {
    const fault = urlFault(address)
    throw refused(
      `${quote(address)} is not the address of a project whose jobs have tokens of this issuer: ${site}/OWNER/PROJECT.${fault === undefined ? '' : ` It ${fault}.`}`,
    )
  }
  return path
}

function idsFrom(text: string, { name, ids }: Forge): ProjectIds {
  const answer = documentIn(text)
  const project = valueAt(answer, [name])
  const found = Object.entries(ids).map(([claim, path]) => [claim, valueAt(answer, path)] as const)
  if (
    typeof project !== 'string' ||
    !found.every(([, id]) => typeof id === 'number' && Number.isSafeInteger(id) && id > 0)
  ) {
    throw new Unavailable('The answer of the host does not contain the ids of a project.')
  }
  return { project, ids: Object.fromEntries(found.map(([claim, id]) => [claim, String(id)])) }
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value)

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

const refused = (message: string) => invalidField(message, { field: 'from-url' })
