/** Sets up an installation in a browser: creates the first account, makes it operator, and signs the browser in. */
import { newAccountId } from '@ratafia/api'
import { NEW_ACCOUNT } from '../../accounts/account.ts'
import { checkDisplayName, checkEmail, checkUsername } from '../../accounts/account-fields.ts'
import { seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { chosenPasswordBytes } from '../../accounts/passwords/password.ts'
import { accountActor } from '../../change.ts'
import { type FieldProblem, invalidFields, noting } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { newSession } from '../logins/browser-session.ts'
import { tallyRefused } from '../logins/check-credentials.ts'
import { countFailures, type Throttle, type Throttled } from '../logins/throttle.ts'
import { setupHash } from './setup-link.ts'

export interface SetupDeps extends Stores {
  readonly throttle: Throttle
  readonly tally: IdentityDependencies['tally']
}

/** A link in a browser, at the browser's address. */
interface OpenedLink {
  readonly secret: string
  readonly address: string
}

/** `wrong`: the link does not work (any more); with `someoneExists`, because there is an account already. */
export type LinkVerdict =
  | { readonly verdict: 'right' }
  | { readonly verdict: 'wrong'; readonly someoneExists: boolean }
  | Throttled

/** Looks at a link and uses nothing up. A link that does not work counts as a failed sign-in. */
export const checkSetupLink = (link: OpenedLink, deps: SetupDeps): Promise<LinkVerdict> =>
  counted(link, deps, async () => {
    const hash = setupHash(link.secret)
    const isOpen = hash !== undefined && (await deps.setupLinks.isOpen(hash, deps.clock()))
    const someoneExists = await deps.setupLinks.someoneExists()
    return isOpen && !someoneExists ? { verdict: 'right' } : { verdict: 'wrong', someoneExists }
  })

export interface SetUpInput extends OpenedLink {
  readonly username: string
  readonly name: string
  readonly email: string
  readonly password: string
  readonly userAgent: string | undefined
}

export type SetUpOutcome =
  | Exclude<LinkVerdict, { readonly verdict: 'right' }>
  /** `cookie` signs the browser in. */
  | { readonly verdict: 'right'; readonly cookie: string }

/**
 * Creates the account with its password, the grant and the browser's session in one transaction, which uses the link
 * up. Throws `invalid-field`, with all problems, for fields that break a rule of accounts.
 */
export async function setUp(input: SetUpInput, deps: SetupDeps): Promise<SetUpOutcome> {
  // Before the password is hashed, which is slow.
  const found = await checkSetupLink(input, deps)
  if (found.verdict !== 'right') return found
  const { bytes, ...fields } = checkedFields(input)
  const passwordHash = await deps.passwords.hash(bytes)
  const { secret, address, userAgent } = input
  return counted(input, deps, () =>
    deps.changeBy({ actor: accountActor(fields.username), source: address })(async (on) => {
      const { accounts, grants, setupLinks, signInSessions, record } = on
      const now = deps.clock()
      const hash = setupHash(secret)
      // Taking the row comes first: it makes every other use of the link, every new link and every new account wait.
      const isTaken = hash !== undefined && (await setupLinks.take(hash, now))
      const someoneExists = await setupLinks.someoneExists()
      if (!isTaken || someoneExists) return { verdict: 'wrong', someoneExists }
      const account = { ...NEW_ACCOUNT, ...fields, id: newAccountId(), createdAt: now }
      const { id, username } = account
      // A node of an earlier release does not remove the link with its insert, so it can still come first.
      if (!(await accounts.insert({ ...account, passwordHash })))
        return { verdict: 'wrong', someoneExists: true }
      const grant = {
        accountId: id,
        role: 'operator',
        brandId: undefined,
        expiresAt: undefined,
        agents: [],
      } as const
      await grants.add({ ...grant, grantedAt: now, grantedBy: username })
      const { session, cookie } = newSession({ account, seen: seenBy(account), address, userAgent }, now)
      await signInSessions.insert(session)
      const subject = username
      await record({ action: 'installation.set-up', subject, details: { id, browser: userAgent ?? null } })
      await record({ action: 'account.add', subject, details: { id } })
      await record({ action: 'grant.add', subject, details: { grant: 'operator', brand: null, until: null } })
      await record({ action: 'account.sign-in', subject, details: { link: true } })
      return { verdict: 'right', cookie }
    }),
  )
}

function checkedFields({ username, name, email, password }: SetUpInput) {
  const problems: FieldProblem[] = []
  const note = noting(problems)
  const fields = {
    username: note(() => checkUsername(username)),
    name: note(() => checkDisplayName(name)),
    email: note(() => checkEmail(email)),
    bytes: note(() => chosenPasswordBytes(password)),
  }
  const { username: checked, name: display, email: address, bytes } = fields
  if (checked === undefined || display === undefined || address === undefined || bytes === undefined) {
    throw invalidFields(problems)
  }
  return { username: checked, name: display, email: address, bytes }
}

/** Counts a link that does not work as a failed sign-in, in the same limits. */
async function counted<T extends { readonly verdict: 'right' | 'wrong' }>(
  { address }: OpenedLink,
  deps: SetupDeps,
  attempt: () => Promise<T>,
): Promise<T | Throttled> {
  const result = await countFailures({ address }, deps.throttle, attempt)
  tallyRefused(result.verdict, deps)
  return result
}
