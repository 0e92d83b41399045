/** The form of a rule as it is typed: texts in, a wish out. */
import { invalidField, quote } from '../../../errors.ts'
import { words } from '../../words/en.ts'
import type { FormState } from '../form.ts'
import { claimField, type RuleIssuer } from './claims.ts'

const text = words.publishers.problems

export interface DraftRule {
  readonly name: string
  readonly issuer: string
  readonly match: Readonly<Record<string, unknown>>
  readonly permissions: readonly string[]
  readonly packages: readonly string[]
  readonly channels: readonly string[] | undefined
  readonly stores: readonly string[] | undefined
  readonly allowRegister: boolean
  /** Milliseconds. */
  readonly lifetime: number
}

/** Throws `invalid-field` for the first field that is missing or cannot be read. */
export function draftRuleIn(fields: FormState['fields'], issuer: RuleIssuer): DraftRule {
  const name = fields.get('name')
  if (name === undefined) throw invalidField(text.name, { field: 'name' })
  const match = matchIn(fields, issuer)
  const permissions = fields.all('permissions')
  if (permissions.length === 0) throw invalidField(text.permissions, { field: 'permissions' })
  const packages = itemsOf(fields.get('packages'))
  if (!packages) throw invalidField(text.packages, { field: 'packages' })
  const minutes = fields.get('lifetime') ?? ''
  if (!/^[1-9][0-9]{0,3}$/.test(minutes)) throw invalidField(text.lifetime, { field: 'lifetime' })
  return {
    ...{ name, issuer: issuer.url, match, permissions, packages },
    channels: itemsOf(fields.get('channels')),
    stores: itemsOf(fields.get('stores')),
    allowRegister: permissions.includes('package_register'),
    lifetime: Number(minutes) * 60_000,
  }
}

function matchIn(fields: FormState['fields'], { claims }: RuleIssuer): Readonly<Record<string, unknown>> {
  const match = new Map<string, unknown>()
  for (const [index, { name }] of claims.entries()) {
    const value = fields.get(claimField(index))
    if (value !== undefined) match.set(name, value)
  }
  for (const line of (fields.get('match') ?? '').split(/\r?\n/)) {
    if (line.trim() === '') continue
    const [, before = '', json, after = ''] = /^([^=]*?)(:?)=(.*)$/.exec(line) ?? []
    // As in the other fields, spaces around a text are none of it.
    const [claim, value] = [before.trim(), after.trim()]
    if (claim === '') throw invalidField(text.line(quote(line.slice(0, 80))), { field: 'match' })
    if (match.has(claim)) throw invalidField(text.twice(quote(claim.slice(0, 80))), { field: 'match' })
    match.set(claim, json === ':' ? jsonOf(value, claim) : value)
  }
  return Object.fromEntries(match)
}

function jsonOf(value: string, claim: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw invalidField(text.json(quote(claim.slice(0, 80))), { field: 'match' })
  }
}

/** Between commas or white space; undefined if there are none. */
function itemsOf(field: string | undefined): readonly string[] | undefined {
  const items = (field ?? '').split(/[\s,]+/).filter((item) => item !== '')
  return items.length === 0 ? undefined : items
}
