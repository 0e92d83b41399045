/** Checks, for `ratafia verify`, that a stored rule has not changed since it was created. */
import type { AccountId } from '@ratafia/api'
import { RequestError } from '../../../errors.ts'
import { isObject } from '../../../foreign-json.ts'
import type { Issuer, IssuerSettings } from '../../issuers/issuer.ts'
import { KIND_NAMES } from '../../issuers/kinds.ts'
import { checkGrants } from '../making/check-grants.ts'
import { readMatch } from '../matchers/read-match.ts'
import { versionOf } from '../rule.ts'
import { idsOfRule } from '../stable-ids.ts'

/** A rule as the database stores it: see its migration. */
export interface StoredRule {
  readonly name: string
  readonly issuer_id: string
  readonly account_id: string
  readonly version: string
  readonly ids: string
  readonly matchers: string
  readonly grants: string
  readonly lifetime: number
  readonly created_at: number
  /** The URL of its issuer. */
  readonly url: string
  readonly kind: string
  readonly settings: string
}

/** Returns the end of a sentence about the rule; undefined if it has no problem. */
export function storedRuleProblem(rule: StoredRule): string | undefined {
  try {
    const match = readMatch(JSON.parse(rule.matchers))
    const granted = checkGrants(listsOf(JSON.parse(rule.grants)))
    if ('problems' in granted)
      return `has grants that are not allowed: ${granted.problems.map(({ message }) => message).join(' ')}`
    const said = {
      ...{ name: rule.name, issuerId: rule.issuer_id, match, grants: granted.grants },
      // The cast changes nothing: the id only goes into the hash.
      accountId: rule.account_id as AccountId,
      ...{ lifetime: rule.lifetime, createdAt: new Date(rule.created_at) },
    }
    if (versionOf(said) !== rule.version) return 'has changed since it was created.'
    return idsOfRule(issuerOf(rule), match) === rule.ids
      ? undefined
      : 'is stored under ids other than those it matches.'
  } catch (error) {
    if (error instanceof RequestError || error instanceof SyntaxError || error instanceof TypeError) {
      return `cannot be read: ${error.message}`
    }
    throw error
  }
}

/** Throws `TypeError`. */
function listsOf(json: unknown) {
  const list = (key: string): readonly string[] | undefined => {
    const value = isObject(json) ? json[key] : undefined
    if (value === null) return undefined
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) {
      return value
    }
    throw new TypeError(`"${key}" of its grants is not a list of strings.`)
  }
  return {
    ...{ permissions: list('permissions'), packages: list('packages') },
    ...{ channels: list('channels'), storeIds: list('storeIds'), allowRegister: true },
  }
}

/** Throws `TypeError`. */
function issuerOf({ issuer_id: id, url, kind: name, settings: json, created_at }: StoredRule): Issuer {
  const kind = KIND_NAMES.find((one) => one === name)
  if (kind === undefined) throw new TypeError('The kind of its issuer is unknown.')
  const settings: IssuerSettings = JSON.parse(json)
  return { id, url, kind, settings, createdAt: new Date(created_at) }
}
