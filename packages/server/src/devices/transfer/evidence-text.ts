/** Converts the clone evidence about a device to the text of one column, a JSON list, and back. */
import { CLONE_EVIDENCE_KINDS, type CloneEvidence } from '../clones/clone-evidence.ts'
import { EVIDENCE_LIMIT } from '../clones/clone-store.ts'
import type { DeviceRef } from '../device.ts'

export const evidenceText = (evidence: readonly CloneEvidence[]): string =>
  JSON.stringify(
    evidence.map(({ deviceId: _id, bucket: _bucket, firstSeenAt, lastSeenAt, ...one }) => ({
      ...one,
      first_seen_at: firstSeenAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
    })),
  )

/** Returns `undefined` for a string that {@link evidenceText} doesn't produce. */
export function readEvidence(text: string, device: DeviceRef): readonly CloneEvidence[] | undefined {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(list) || list.length > CLONE_EVIDENCE_KINDS.length * EVIDENCE_LIMIT) return undefined
  const read = list.map((item: unknown) => oneEvidence(item, device))
  return read.every((one) => one !== undefined) ? read : undefined
}

function oneEvidence(item: unknown, { id, bucket }: DeviceRef): CloneEvidence | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { kind, subject, details, times, first_seen_at, last_seen_at } = item as Record<string, unknown>
  const known = CLONE_EVIDENCE_KINDS.find((one) => one === kind)
  const [firstSeenAt, lastSeenAt] = [first_seen_at, last_seen_at].map(instantOf)
  if (
    known === undefined ||
    !isText(subject, 200) ||
    !isDetails(details) ||
    !Number.isSafeInteger(times) ||
    Number(times) < 1 ||
    Number(times) > 2_000_000_000 ||
    !firstSeenAt ||
    !lastSeenAt
  ) {
    return undefined
  }
  return {
    deviceId: id,
    bucket,
    kind: known,
    subject,
    details,
    times: Number(times),
    firstSeenAt,
    lastSeenAt,
  }
}

const isText = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= limit && !/[\p{Cc}\p{Cs}]/u.test(value)

const isDetails = (value: unknown): value is CloneEvidence['details'] =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).length <= 20 &&
  Object.entries(value).every(
    ([name, one]) => isText(name, 50) && (one === null || one === '' || isText(one, 1000)),
  )

function instantOf(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return undefined
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}
