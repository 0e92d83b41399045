/**
 * A rule that the owner of a session in the console makes for their own account (contract/oidc.md, A12). Only the console
 * does this: whoever had stolen a token could make something with it that outlives it.
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
  /** Of the session in the console. */
  readonly authority: ManagerAuthority
  readonly name: string
  /** The URL of an issuer. */
  readonly issuer: string
  /** As JSON gives it: see `matcher.ts`. */
  readonly match: Readonly<Record<string, unknown>>
  readonly permissions: readonly string[]
  /** Names, or snap ids. */
  readonly packages: readonly string[]
  /** Undefined: all. */
  readonly channels?: readonly string[] | undefined
  readonly stores?: readonly string[] | undefined
  readonly allowRegister?: boolean | undefined
  /** Milliseconds. */
  readonly lifetime?: number | undefined
  /** What the form could not read. */
  readonly unread?: readonly FieldProblem[] | undefined
}

export type OwnRule = ReturnType<typeof publisherRecord> & { readonly warnings: readonly string[] }

/** Throws as `addRule`. */
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
  /** Of a project on GitHub, GitLab or Forgejo. */
  readonly address: string
}

/**
 * Throws as `requireJustSignedIn` and `findIssuer`, and `invalid-field` for an address whose ids cannot be had: the person
 * can correct it, or go on without.
 */
export async function lookUpOwnIds(
  { authority, issuer: url, address }: OwnProjectInput,
  stores: Stores,
): Promise<ProjectIds> {
  // The service asks another host: not for whoever has only found a token.
  requireJustSignedIn(authority, stores.clock())
  const { issuer } = await findIssuer(url, stores)
  return lookUpIds(address, issuer, stores.fetchDocument).catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
    throw invalidField(NO_IDS, { field: 'from-url', cause: error })
  })
}

/** A forge answers the same for a project that is private and for one that is not there. */
const NO_IDS =
  'The ids could not be looked up: the address is wrong, the project is private, or its host did not answer. Correct the address, or type the ids.'
