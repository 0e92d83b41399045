/** `POST /api/management/v1/tokens/exchange`: exchanges a root and its discharge for a management token. */
import type { MacaroonResponse } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { RequestError, unauthorized } from '../../errors.ts'
import type { Grant } from '../../grants/grant.ts'
import { formatMinted, MOST_GRANTS, rolesToMint } from '../../grants/manage-caveat.ts'
import { firstValidSlice, type Presented } from '../../tokens/authentication/first-valid-slice.ts'
import { mintToken, OWN_CAVEATS } from '../../tokens/root-macaroon.ts'
import { type LoginAge, reaches } from '../grants/reaches.ts'
import { MANAGEMENT_ROOTS, type PresentedHere, verifyManager } from './verify-manager.ts'

/**
 * The token gets the grants that its account has now, within the root's limits. The same person can exchange
 * the same root again while its session lasts. An account without roles gets a token for its own records
 * (`/me`). Throws {@link RequestError}: a 401; `permission-denied` if it has none of the requested roles;
 * `limit-exceeded` if it has more grants than fit into a token.
 */
export function exchangeManagementRoot(presented: Presented, deps: PresentedHere): Promise<MacaroonResponse> {
  const { keyring, location, clock, identity, grants } = deps
  return firstValidSlice(presented, { keyring, taken: MANAGEMENT_ROOTS }, async (slice, macaroon) => {
    if (slice[0].caveats.slice(OWN_CAVEATS).some(({ verificationId }) => verificationId !== undefined)) {
      // The token would lose this caveat, and so allow more than its root.
      throw unauthorized(
        'The macaroon has an additional third-party caveat, which a token cannot keep. Present it without this caveat.',
      )
    }
    const { account, cleared, ...age } = await verifyManager(slice, macaroon, deps)
    const held = await grants.heldBy(account.id, clock())
    const reached = held.filter((grant) => reaches(grant, age))
    const minted = rolesToMint(reached, cleared.limits)
    // A request for nothing in particular gets what every account has: its own tokens and agents.
    const isNamed = cleared.limits.some(({ roles, brands }) => roles !== null || brands !== null)
    if (minted.length === 0 && isNamed) {
      const [later] = held.filter((grant) => !reached.includes(grant))
      throw later && rolesToMint([later], cleared.limits).length > 0
        ? notReached(later, age)
        : noRole(account.username, held.length > 0)
    }
    if (minted.length > MOST_GRANTS) throw tooMany(minted.length)
    const readOnly = cleared.limits.some((limit) => limit.readOnly)
    const { sessionId, sessionExpires: expires, subject: value } = cleared
    const token = mintToken(
      {
        ...(await keyring.mintId('management-token')),
        ...{ location, expires, since: clock(), sessionId },
        extra: formatMinted({ grants: minted, readOnly }),
      },
      { key: identity.key, value },
    )
    return { macaroon: encodeBase64Url(encodeBinary(token)) }
  })
}

const noRole = (username: string, hasOthers: boolean): RequestError =>
  new RequestError(
    'permission-denied',
    hasOthers
      ? `The account "${username}" has none of the requested roles. \`ratafia whoami\` shows its roles.`
      : `The account "${username}" has no role in the administration of this service. Ask an operator to run \`ratafia grants add ${username} ROLE\`.`,
    { extra: { needs: null, brand: null } },
  )

const notReached = ({ role, grantedAt }: Grant, { signIn }: LoginAge): RequestError => {
  const given = `The account got the role ${role} at ${grantedAt.toISOString()}`
  return new RequestError(
    'permission-denied',
    signIn.kind === 'agent'
      ? `${given}, after the agent ${signIn.name} was added. Ask an operator to remove the grant and add it again with --with-agent ${signIn.name}.`
      : `${given}, after you signed in. Sign in again.`,
    { extra: { needs: null, brand: null } },
  )
}

const tooMany = (count: number): RequestError =>
  new RequestError(
    'limit-exceeded',
    `The account has ${count} grants, but a token has room for ${MOST_GRANTS}. Request only some of its roles or brands.`,
  )
