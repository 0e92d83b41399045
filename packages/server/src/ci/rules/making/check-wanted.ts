/** Checks a requested rule, and reports every problem at once. */
import type { ErrorCode } from '@ratafia/api'
import { ATTENUATION_LIMITS } from '@ratafia/macaroon/conditions'
import { type Account, requireNotRemoved } from '../../../accounts/account.ts'
import { findAccount } from '../../../accounts/find.ts'
import {
  type FieldProblem,
  invalidField,
  invalidFields,
  problemsIn,
  quote,
  RequestError,
} from '../../../errors.ts'
import { type PackageReference, resolvePackages } from '../../../package-directory/resolve.ts'
import type { Stores, TransactionStores } from '../../../stores.ts'
import { isLimit } from '../../../tokens/wanted-limits.ts'
import { findIssuer } from '../../issuers/find.ts'
import type { Issuer } from '../../issuers/issuer.ts'
import { checkRule } from '../check-rule.ts'
import type { Match } from '../matcher.ts'
import { readMatch } from '../matchers/read-match.ts'
import { type Grants, isRuleName } from '../rule.ts'
import { checkGrants, type WantedGrants } from './check-grants.ts'
import { type RuleMaker, requireMayMakeRules } from './rule-maker.ts'

export interface WantedRule {
  readonly maker: RuleMaker
  readonly name: string
  /** The URL of an issuer that was added. */
  readonly issuer: string
  /** Username or account id. */
  readonly account: string
  /** Parsed JSON: see `matcher.ts`. */
  readonly match: unknown
  readonly grants: Omit<WantedGrants, 'packages'>
  readonly packages: readonly PackageReference[]
  /** The lifetime of tokens in milliseconds. Default: 15 minutes, or the maximum if that is less. */
  readonly lifetime?: number | undefined
  /** Problems with fields that the caller could not read. They replace other problems with the same fields. */
  readonly unread?: readonly FieldProblem[] | undefined
}

export interface CheckedWanted {
  readonly account: Account
  readonly issuer: Issuer
  readonly match: Match
  readonly grants: Grants
  /** The lifetime of tokens in milliseconds. */
  readonly lifetime: number
  /** Sentences. */
  readonly warnings: readonly string[]
}

export interface CheckDeps extends Stores, TransactionStores {
  /** The longest lifetime, in milliseconds. */
  readonly jobMaxLifetime: number
}

/** The default and the minimum, in milliseconds. */
const LIFETIME = { standard: 900_000, least: 60_000 } as const

/** Throws the errors of `addRule`, after checking everything, so that the author can correct all mistakes at once. */
export async function checkWanted(wanted: WantedRule, now: Date, deps: CheckDeps): Promise<CheckedWanted> {
  const problems: FieldProblem[] = []
  const noted: Noted = async (work) => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RequestError) || !IN_THE_WISH.has(error.code)) throw error
      problems.push(...inFields(error))
      return undefined
    }
  }
  await noted(() => checkName(wanted.name))
  const account = await noted(() => accountFor(wanted, now, deps))
  const found = await noted(() => findIssuer(wanted.issuer, deps))
  const issuer = found?.issuer
  const checked = await noted(() => {
    const match = readMatch(wanted.match)
    return issuer && checkRule(issuer, match)
  })
  const packages = await packageIds(wanted.packages, noted, deps)
  const granted = checkGrants({ ...wanted.grants, packages })
  if ('problems' in granted) problems.push(...granted.problems)
  const { lifetime = Math.min(LIFETIME.standard, deps.jobMaxLifetime) } = wanted
  await noted(() => checkLifetime(lifetime, deps.jobMaxLifetime))
  const { unread = [] } = wanted
  const isUnread = ({ field }: FieldProblem) => unread.some((one) => one.field === field)
  const all = [...unread, ...problems.filter((problem) => !isUnread(problem))]
  if (!account || !issuer || !checked || 'problems' in granted || all.length > 0) {
    throw invalidFields(all)
  }
  const warnings = [...checked.warnings, ...(account.disabledAt ? [disabledWarning(account)] : [])]
  return { account, issuer, match: checked.match, grants: granted.grants, lifetime, warnings }
}

/** Errors that the author of the rule can correct. */
const IN_THE_WISH: ReadonlySet<ErrorCode> = new Set(['invalid-field', 'no-such-record', 'package-not-found'])

/** Maps problems to the fields of the requested rule: the operations that are called have other fields, or none. */
const inFields = (error: RequestError): readonly FieldProblem[] =>
  error.code === 'package-not-found' ? [{ field: 'packages', message: error.message }] : problemsIn(error)

/** Runs `work`. Records a refusal and returns undefined instead of throwing it. */
type Noted = <T>(work: () => T | Promise<T>) => Promise<T | undefined>

function checkName(name: string): void {
  if (isRuleName(name)) return
  throw invalidField(
    `The name ${quote(name)} is not 1 to 64 characters of a-z, 0-9 and "._-" that begin and end with a letter or digit.`,
    { field: 'name' },
  )
}

async function accountFor({ account, maker }: WantedRule, now: Date, deps: CheckDeps): Promise<Account> {
  const found = requireNotRemoved(await findAccount(account, deps))
  requireMayMakeRules(maker, { account: found, now })
  return found
}

/** Looks names up singly, to report each unknown one. Keeps what cannot be a name for `checkGrants` to report. */
async function packageIds(
  references: readonly PackageReference[],
  noted: Noted,
  deps: CheckDeps,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const reference of references.slice(0, ATTENUATION_LIMITS.items + 1)) {
    const text = reference.snap_id ?? reference.name ?? ''
    const known = isLimit(text) ? await noted(() => resolvePackages([reference], deps)) : undefined
    ids.push(known?.[0] ?? text)
  }
  return ids
}

function checkLifetime(lifetime: number, most: number): void {
  if (lifetime >= LIFETIME.least && lifetime <= most && lifetime % 1000 === 0) return
  throw invalidField(
    `A lifetime of ${lifetime / 1000} seconds is not between ${LIFETIME.least / 1000} and ${most / 1000}. RATAFIA_CI_MAX_LIFETIME sets the upper limit.`,
    { field: 'lifetime' },
  )
}

const disabledWarning = ({ username }: Account): string =>
  `The account ${username} is disabled: jobs get nothing until it is enabled.`
