/**
 * Adds a rule that users create in the console for their own account (contract/oidc.md, A12). Only the console can do
 * this: with a stolen token, an attacker could otherwise create a rule that outlives the token.
 */
import { type FieldProblem, invalidField, Unavailable } from '../../../errors.ts'
import type { ManagerAuthority } from '../../../management/tokens/manager.ts'
import { packageReference } from '../../../package-directory/package-reference.ts'
import type { Stores } from '../../../stores.ts'
import { findIssuer } from '../../issuers/find.ts'
import { publisherRecord } from '../managing/publisher-record.ts'
import { addRule } from './add-rule.ts'
import type { CheckDeps } from './check-wanted.ts'
import { lookUpIds, type ProjectIds } from './project-ids.ts'
import { requireJustSignedIn } from './rule-maker.ts'

export interface OwnRuleInput {
  /** The authority of the session in the console. */
  readonly authority: ManagerAuthority
  readonly name: string
  /** The URL of an issuer. */
  readonly issuer: string
  /** Parsed JSON: see `matcher.ts`. */
  readonly match: Readonly<Record<string, unknown>>
  readonly permissions: readonly string[]
  /** Names, or snap ids. */
  readonly packages: readonly string[]
  /** Every channel if undefined. */
  readonly channels?: readonly string[] | undefined
  readonly stores?: readonly string[] | undefined
  readonly allowRegister?: boolean | undefined
  /** The lifetime of tokens, in milliseconds. */
  readonly lifetime?: number | undefined
  /** Problems with fields that the form could not read. */
  readonly unread?: readonly FieldProblem[] | undefined
}

export type OwnRule = ReturnType<typeof publisherRecord> & { readonly warnings: readonly string[] }

/** Throws the errors of `addRule`. */
export async function addOwnRule(input: OwnRuleInput, deps: CheckDeps): Promise<OwnRule> {
  const { authority, name, issuer, match, permissions, packages, channels, stores, allowRegister } = input
  const added = await addRule(
    {
      ...{ maker: { own: authority }, name, issuer, match, lifetime: input.lifetime, unread: input.unread },
      account: authority.accountId,
      packages: packages.map(packageReference),
      grants: { permissions, channels, storeIds: stores, allowRegister },
    },
    deps,
  )
  return { ...publisherRecord(added, deps.clock()), warnings: added.warnings }
}

export interface OwnProjectInput {
  readonly authority: ManagerAuthority
  readonly issuer: string
  /** The URL of a project on GitHub, GitLab or Forgejo. */
  readonly address: string
}

/**
 * Throws the errors of `requireJustSignedIn` and `findIssuer`, and `invalid-field` if the ids cannot be looked up: the
 * user can correct the address, or continue without it.
 */
export async function lookUpOwnIds(
  { authority, issuer: url, address }: OwnProjectInput,
  stores: Stores,
): Promise<ProjectIds> {
  // The service sends a request to another host, which a stolen token must not be able to cause.
  requireJustSignedIn(authority, stores.clock())
  const { issuer } = await findIssuer(url, stores)
  return lookUpIds(address, issuer, stores.fetchDocument).catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
    throw invalidField(NO_IDS, { field: 'from-url', cause: error })
  })
}

/** A forge gives the same answer for a private project and for one that does not exist. */
const NO_IDS =
  'The ids could not be looked up: the address is wrong, the project is private, or its host did not answer. Correct the address, or type the ids.'
