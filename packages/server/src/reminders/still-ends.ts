/**
 * Checks whether the subject of a reminder still expires at that instant, and whether its recipient should
 * still be notified.
 */
import { listSigningKeys, type SigningKeyDescription } from '../brands/keys/list-signing-keys.ts'
import { showModelName } from '../brands/models/model-policy.ts'
import { parseGrantId } from '../grants/grant.ts'
import type { Stores } from '../stores.ts'
import type { Recipient } from './ending-store.ts'
import type { DueReminder, Ends } from './reminder.ts'

/**
 * Returns undefined if it was revoked, disabled, replaced, removed, or got a different expiry since the
 * reminder was queued.
 */
export async function stillEnds(
  { kind, subject, endsAt }: DueReminder,
  stores: Stores,
): Promise<Ends | undefined> {
  const found = await FINDERS[kind](subject, stores)
  return found?.endsAt.getTime() === endsAt.getTime() ? found : undefined
}

/** Returns undefined for an account that no longer gets mail, or no longer manages the brand. */
export async function stillTold(
  recipient: string,
  ends: Ends,
  { endings, clock }: Stores,
): Promise<Recipient | undefined> {
  const brandId = brandOf(ends)
  if (brandId === undefined) return endings.recipient(recipient)
  return (await endings.managersOf(brandId, clock())).find(({ id }) => id === recipient)
}

function brandOf(ends: Ends): string | undefined {
  if (ends.kind === 'signing-key') return ends.brandId
  // A brand's id has no slash.
  return ends.kind === 'api-key' ? ends.model.split('/')[0] : undefined
}

type Finder = (subject: string, stores: Stores) => Promise<Ends | undefined>

const FINDERS: Readonly<Record<DueReminder['kind'], Finder>> = {
  token: async (id, { endings }) => {
    const token = await endings.token(id)
    if (!token) return undefined
    const { endsAt, accountId, username, description } = token
    return { kind: 'token', sessionId: token.id, endsAt, accountId, username, description }
  },

  'signing-key': async (keyId, stores) => {
    const brandId = (await stores.brands.findKey(keyId))?.accountId
    if (brandId === undefined) return undefined
    const key = (await endingSigningKeys(brandId, stores)).find((one) => one.keyId === keyId)
    return key && { kind: 'signing-key', keyId, brandId, name: key.name, endsAt: key.endsAt }
  },

  'api-key': async (id, { apiKeys }) => {
    const key = await apiKeys.find(id)
    if (!key?.expiresAt || key.revokedAt || (key.useLimit !== null && key.uses >= key.useLimit))
      return undefined
    return { kind: 'api-key', id, model: showModelName(key), label: key.label, endsAt: key.expiresAt }
  },

  grant: async (id, { grants }) => {
    const key = parseGrantId(id)
    const grant = key && (await grants.find(key))
    if (!grant?.expiresAt) return undefined
    const { username, role, brandId, expiresAt } = grant
    return { kind: 'grant', id, username, role, brandId, endsAt: expiresAt }
  },
}

export interface EndingSigningKey {
  readonly keyId: string
  readonly brandId: string
  readonly name: string | undefined
  readonly since: Date
  readonly endsAt: Date
}

/**
 * Returns the keys that are not disabled and can sign until they expire, except those that another key of the
 * brand outlives: that key has replaced them.
 */
export async function endingSigningKeys(
  brandId: string,
  stores: Stores,
): Promise<readonly EndingSigningKey[]> {
  const keys = (await listSigningKeys(brandId, stores)).filter(({ disabledAt }) => disabledAt === null)
  const now = stores.clock()
  return keys.flatMap((key) => {
    const { keyId, name, since, until, addedAt, fault } = key
    if (until === undefined || (fault !== undefined && until > now)) return []
    if (keys.some((other) => outlives(other, until))) return []
    return { keyId, brandId, name, since: since ?? addedAt, endsAt: until }
  })
}

const outlives = ({ until, fault }: SigningKeyDescription, end: Date): boolean =>
  fault === undefined && (until === undefined || until > end)
