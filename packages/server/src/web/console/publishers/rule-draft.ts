/** Reads the form for a rule, as the user filled it in. */
import { type FieldProblem, invalidField, noting, quote } from '../../../errors.ts'
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
  /** The lifetime in milliseconds; undefined if it cannot be read. */
  readonly lifetime: number | undefined
  /** The fields that are missing or cannot be read. The operation that creates the rule reports them with its own. */
  readonly unread: readonly FieldProblem[]
}

export function draftRuleIn(fields: FormState['fields'], issuer: RuleIssuer): DraftRule {
  const unread: FieldProblem[] = []
  const missing = (field: 'name' | 'permissions' | 'packages' | 'lifetime') =>
    unread.push({ field, message: text[field] })
  const name = fields.get('name') ?? ''
  const permissions = fields.all('permissions')
  const packages = itemsOf(fields.get('packages')) ?? []
  const minutes = fields.get('lifetime') ?? ''
  const hasLifetime = /^[1-9][0-9]{0,3}$/.test(minutes)
  if (name === '') missing('name')
  const match = noting(unread)(() => matchIn(fields, issuer)) ?? {}
  if (permissions.length === 0) missing('permissions')
  if (packages.length === 0) missing('packages')
  if (!hasLifetime) missing('lifetime')
  return {
    ...{ name, issuer: issuer.url, match, permissions, packages, unread },
    channels: itemsOf(fields.get('channels')),
    stores: itemsOf(fields.get('stores')),
    allowRegister: permissions.includes('package_register'),
    lifetime: hasLifetime ? Number(minutes) * 60_000 : undefined,
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
    // As in the other fields, spaces around the value are dropped.
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

/** Returns the items between commas or white space; undefined if there are none. */
function itemsOf(field: string | undefined): readonly string[] | undefined {
  const items = (field ?? '').split(/[\s,]+/).filter((item) => item !== '')
  return items.length === 0 ? undefined : items
}
