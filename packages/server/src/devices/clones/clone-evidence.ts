/** What suggests that a device key or a serial has a second holder. */
import type { DeviceId } from '@ratafia/api'

/**
 * - `second-chain`: a chain of sessions began while another had an unexpired session; a device that lost its session
 *   does that too
 * - `forked-chain`: a session was refreshed a second time, long after the first
 * - `two-chains`: a chain was refreshed although another began after it: both are alive, so two devices have the key
 * - `second-key`: another key asked for the serial
 */
export const CLONE_EVIDENCE_KINDS = ['second-chain', 'forked-chain', 'two-chains', 'second-key'] as const

export type CloneEvidenceKind = (typeof CLONE_EVIDENCE_KINDS)[number]

export interface CloneEvidence {
  readonly deviceId: DeviceId
  /** Of the device. */
  readonly bucket: number
  readonly kind: CloneEvidenceKind
  /** The other chain; for `second-key` the other key. */
  readonly subject: string
  /** From the last sighting. JSON. */
  readonly details: Readonly<Record<string, string | null>>
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly times: number
}

/** One observation, to be counted. */
export type Sighting = Pick<CloneEvidence, 'kind' | 'subject' | 'details'>
