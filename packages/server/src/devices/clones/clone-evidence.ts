/** Evidence that a device key or a serial has a second holder. */
import type { DeviceId } from '@ratafia/api'

/**
 * - `second-chain`: a chain of sessions began while another chain had an unexpired session; a device
 *   that lost its session also causes this
 * - `forked-chain`: a session was refreshed a second time, long after the first
 * - `two-chains`: a chain was refreshed although a newer one exists: both are in use, so two devices have
 *   the key
 * - `second-key`: another key asked for the serial
 */
export const CLONE_EVIDENCE_KINDS = ['second-chain', 'forked-chain', 'two-chains', 'second-key'] as const

export type CloneEvidenceKind = (typeof CLONE_EVIDENCE_KINDS)[number]

export interface CloneEvidence {
  readonly deviceId: DeviceId
  /** The device's bucket. */
  readonly bucket: number
  readonly kind: CloneEvidenceKind
  /** The other chain's id; the other key's id for `second-key`. */
  readonly subject: string
  /** The details in JSON, from the latest sighting. */
  readonly details: Readonly<Record<string, string | null>>
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly times: number
}

/** One observation, before it is counted. */
export type Sighting = Pick<CloneEvidence, 'kind' | 'subject' | 'details'>
