/** A session is one login. Its root macaroon, and every token exchanged from it, carry its id. */
import type { AccountId, SessionId, TokenRecord } from '@ratafia/api'
import { rolesAskedFor } from '../grants/manage-caveat.ts'
import { limitsIn } from '../third-party/recorded-limits.ts'

export interface Session {
  readonly id: SessionId
  readonly accountId: AccountId
  readonly description: string | undefined
  readonly validSince: Date
  readonly validUntil: Date
  readonly revokedAt: Date | undefined
  /** A username, or `operator`. */
  readonly revokedBy: string | undefined
  readonly kind: SessionKind
  /** How its holder signed in, in the form of `third-party/signed-in.ts`; undefined if not recorded. */
  readonly origin: string | undefined
  /** The address of its first request; undefined if not recorded. */
  readonly openedFrom: string | undefined
  /** `console` for a session of management tokens that a browser opened there. */
  readonly openedIn: 'console' | undefined
  /** The User-Agent of the program that opened it; undefined if not recorded. */
  readonly userAgent: string | undefined
  /**
   * The limits of its root, in the form of `recorded-limits.ts`, or of `manage-caveat.ts` for management
   * tokens; undefined if not recorded.
   */
  readonly limits: string | undefined
  /** The CI job that opened the session by a rule; undefined for a login. */
  readonly job: SessionJob | undefined
}

/**
 * The purpose of its macaroons: `developer` tokens for a store and its tools, or `management` tokens to
 * administer this service (contract/administration.md, B3 and B6).
 */
export type SessionKind = 'developer' | 'management'

/** The facts known about a job (contract/oidc.md, A13). The database keeps this as JSON. */
export interface SessionJob {
  /** The name of its rule. */
  readonly rule: string
  /** The URL of its issuer. */
  readonly issuer: string
  /** Values by the claim's name. */
  readonly claims: Readonly<Record<string, string | number | boolean>>
}

/** A session with the username of its account. */
export interface ListedSession extends Session {
  readonly username: string
}

/** A session as lists show it. */
export interface UsedSession extends ListedSession {
  /** When a token was last used; undefined if no use is known. */
  readonly lastUsedAt: Date | undefined
  /** The address of the client that presented it, which is the store's if the store checked it. */
  readonly lastUsedFrom: string | undefined
  /** Whether its owner has chosen an earlier expiry. */
  readonly isShortened: boolean
}

/** The order in which a list of sessions is read. */
export type SessionOrder =
  | 'newest'
  /** Only management tokens. */
  | 'newest-management'
  /** The next one to expire is first. */
  | 'next-to-end'
  | 'last-ended'
  /** Only revoked sessions. */
  | 'last-revoked'

/** A position in an order: after the session with this instant and this id. */
export interface SessionPosition {
  readonly at: Date
  readonly id: SessionId
}

/** Returns the record that list and revoke show. Times are RFC 3339 in UTC. */
export function tokenRecord(session: Session): TokenRecord {
  return {
    description: session.description ?? null,
    'revoked-at': session.revokedAt?.toISOString() ?? null,
    'revoked-by': session.revokedBy ?? null,
    'session-id': session.id,
    'valid-since': session.validSince.toISOString(),
    'valid-until': session.validUntil.toISOString(),
  }
}

/** Returns the record that the management API, `--json` and exports show. Times are RFC 3339 in UTC. */
export const sessionRecord = (session: ListedSession) => ({
  session_id: session.id,
  username: session.username,
  kind: session.kind,
  description: session.description ?? null,
  signed_in: session.origin || null,
  opened_from: session.openedFrom ?? null,
  limits: session.kind === 'developer' ? limitsOf(session) : null,
  manage: session.kind === 'management' ? rolesOf(session) : null,
  valid_since: session.validSince.toISOString(),
  valid_until: session.validUntil.toISOString(),
  revoked_at: session.revokedAt?.toISOString() ?? null,
  revoked_by: session.revokedBy ?? null,
  rule: session.job?.rule ?? null,
  issuer: session.job?.issuer ?? null,
  job: session.job?.claims ?? null,
})

const limitsOf = ({ limits: text }: Session) => {
  const limits = limitsIn(text)
  if (!limits) return null
  const { permissions, channels, packages, storeIds } = limits
  return { permissions, channels, packages, store_ids: storeIds }
}

const rolesOf = ({ limits: text }: Session) => {
  const asked = text === undefined ? undefined : rolesAskedFor(text)
  return asked ? { roles: asked.roles, brands: asked.brands, read_only: asked.readOnly } : null
}

/**
 * Returns the same with the last use, for lists. A single record omits it, because its `ETag` would change each time.
 */
export const usedSessionRecord = (session: UsedSession) => ({
  ...sessionRecord(session),
  last_used_at: session.lastUsedAt?.toISOString() ?? null,
  last_used_from: session.lastUsedFrom ?? null,
})
