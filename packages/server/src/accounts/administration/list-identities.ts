/** By which identities of external identity services an account is known. */
import { pageOf } from '../../page.ts'
import type { TransactionStores } from '../../stores.ts'
import type { ExternalIdentity, LinkedIdentity } from '../account-store.ts'
import { type NamedAccount, showAccount } from './show-account.ts'

interface IdentityListing extends NamedAccount {
  readonly after: ExternalIdentity | undefined
  readonly limit: number
}

interface IdentityPage {
  readonly identities: readonly LinkedIdentity[]
  /** Undefined: nothing follows. */
  readonly next: ExternalIdentity | undefined
}

/** By issuer and subject. Throws {@link RequestError} as `showAccount` does. */
export async function listIdentities(
  { after, limit, ...named }: IdentityListing,
  deps: TransactionStores,
): Promise<IdentityPage> {
  const { id } = await showAccount(named, deps)
  const { rows: identities, next } = await pageOf(limit, (most) =>
    deps.accounts.identitiesOf(id, { after, limit: most }),
  )
  return { identities, next }
}

/** As the API shows it. Times are RFC 3339 in UTC. */
export const identityRecord = ({ issuer, subject, createdAt }: LinkedIdentity) => ({
  issuer,
  subject,
  linked_at: createdAt.toISOString(),
})
