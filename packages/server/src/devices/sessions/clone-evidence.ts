/** What speaks for a second holder of a device key or of a serial, as operations see it. */
import type { DeviceId } from '@ratafia/api'

export const CLONE_EVIDENCE_KINDS = ['second-chain', 'forked-chain', 'two-chains', 'second-key'] as const

/**
 * - `second-chain`: a chain of sessions was begun while another had a session that had not expired; a device that lost
 *   its session does that too
 * - `forked-chain`: a session was refreshed long after it had been refreshed before
 * - `two-chains`: a chain was refreshed although another was begun after it: both are alive, so two hold the key
 * - `second-key`: another key asked for the serial
 */
export type CloneEvidenceKind = (typeof CLONE_EVIDENCE_KINDS)[number]

export interface CloneEvidence {
  readonly deviceId: DeviceId
  readonly kind: CloneEvidenceKind
  /** The other chain; of `second-key` the other key. */
  readonly subject: string
  /** What was seen the last time. JSON. */
  readonly details: Readonly<Record<string, string | null>>
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  /** How often it was seen. */
  readonly times: number
}
