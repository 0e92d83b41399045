/**
 * Finds or creates the account of a person that an identity service vouches for. Identities are keyed by the
 * issuer's location and the declared value (contract/bakery.md 2.8, 7.14).
 */
import { randomInt } from 'node:crypto'
import { isUsername, newAccountId, type Username } from '@ratafia/api'
import { accountActor, type ChangingBy } from '../change.ts'
import type { Clock } from '../clock.ts'
import { invalidField, RequestError, unauthorized } from '../errors.ts'
import { type Account, NEW_ACCOUNT, requireEnabled } from './account.ts'
import { isDisplayName, OPERATOR } from './account-fields.ts'
import type { AccountStore, ExternalIdentity } from './account-store.ts'
import { accountNamed } from './find.ts'

export interface IdentityRules {
  readonly accounts: AccountStore
  readonly changeBy: ChangingBy
  readonly clock: Clock
  /** The location of the bundled identity service, whose subjects are the accounts themselves; absent without one. */
  readonly bundledIssuer: string | undefined
  /** Whether a first login through an external service creates an account (`auto`) or is refused (`known`). */
  readonly rule: 'auto' | 'known'
  /** The username at an external service, if it declared one. It is only used to name a new account. */
  readonly username?: string | undefined
  /** The client's address, for the audit log. */
  readonly source: string
}

/**
 * Returns the account of an identity. Throws `macaroon-authorization-required` if the account is disabled or
 * the bundled service's subject no longer exists, and `account-unknown` for an external identity without an
 * account under the rule `known`.
 */
export async function accountOfIdentity(unchecked: ExternalIdentity, rules: IdentityRules): Promise<Account> {
  if (unchecked.issuer === rules.bundledIssuer) {
    // It declares account ids (`userid`) or usernames (`username`).
    const account = await accountNamed(unchecked.subject, rules.accounts)
    if (!account) throw unauthorized('The account of this login no longer exists.')
    return requireEnabled(account)
  }
  const identity = checkIdentity(unchecked)
  const known = await rules.accounts.findByIdentity(identity)
  if (known) return requireEnabled(known)
  if (rules.rule === 'auto') return requireEnabled(await accountOfFirstLogin(identity, rules))
  throw new RequestError(
    'account-unknown',
    `The identity service at ${identity.issuer} vouches for ${JSON.stringify(identity.subject)}, who has no ` +
      'account here. Ask the operator of this service for one.',
    { extra: { subject: identity.subject } },
  )
}

/** Checks an identity. Throws `invalid-field`. A subject has at most 256 readable characters, as in Candid. */
export function checkIdentity({ issuer, subject }: ExternalIdentity): ExternalIdentity {
  const bad = (text: string, limit: number) =>
    text === '' || text.length > limit || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)
  if (bad(issuer, 512) || bad(subject, 256)) {
    throw invalidField(
      'An identity has an issuer (a URL) and a subject of at most 256 characters, without control characters.',
      { field: 'subject' },
    )
  }
  return { issuer, subject }
}

/** Creates the account. If several first logins arrive at once, database constraints let one create it; all get it. */
async function accountOfFirstLogin(identity: ExternalIdentity, rules: IdentityRules): Promise<Account> {
  const wanted = rules.username?.trim() ?? ''
  const called = slugOf(wanted) === '' ? identity.subject : wanted
  const name = isDisplayName(called) ? called : identity.subject
  for (const username of usernameCandidates(called)) {
    const fields = { id: newAccountId(), username, email: '', name, createdAt: rules.clock() }
    const change = rules.changeBy({ actor: accountActor(username), source: rules.source })
    const outcome = await change(async ({ accounts, record }) => {
      const inserted = await accounts.insertWithIdentity({ ...fields, passwordHash: undefined }, identity)
      if (inserted === 'inserted') {
        await record({ action: 'account.add', subject: username, details: { id: fields.id, ...identity } })
      }
      return inserted
    })
    if (outcome === 'inserted') return { ...NEW_ACCOUNT, ...fields, hasPassword: false }
    // Another account has this username, or another request created the account of this identity first.
    const winner = await rules.accounts.findByIdentity(identity)
    if (winner) return winner
  }
  throw new Error('No free username was found for a first login.')
}

const MAX_USERNAME = 28

/** Yields a subject or name as a username, then with a number, then with random digits. */
function* usernameCandidates(text: string): Generator<Username> {
  const slug = slugOf(text)
  if (isUsername(slug) && slug !== OPERATOR) yield slug
  const suffixes = [
    ...Array.from({ length: 8 }, (_, index) => String(index + 2)),
    ...Array.from({ length: 4 }, () => String(randomInt(10 ** 6, 10 ** 8))),
  ]
  for (const suffix of suffixes) {
    const stem = slug.slice(0, MAX_USERNAME - suffix.length - 1).replace(/-+$/, '') || 'user'
    const username = `${stem}-${suffix}`
    if (isUsername(username)) yield username
  }
}

/** Turns `Bob Smith@example.org` into `bob-smith-example-org`, and a string without Latin letters or digits into ''. */
function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_USERNAME)
    .replace(/^-+|-+$/g, '')
}
