/** The records that belong to a device, as the API, `--json` and exports show them. Times are RFC 3339 in UTC. */
import type { AuditEntry } from '../../audit/entry.ts'
import { activityRecord } from '../activity/device-activity.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import type { EvidenceOf } from '../clones/list-evidence.ts'
import type { SerialAssertion } from '../device.ts'
import type { ListedDevice } from '../fleet/list-fleet.ts'
import type { RegistrationRow } from '../registration/registration-store.ts'
import type { DeviceSession } from '../sessions/device-session.ts'
import { fieldsOf } from '../transfer/device-record.ts'

/**
 * The record of a device in a list, with its activity. The record of a single device has no such fields: its
 * `ETag` would change with every session.
 */
export const listedRecord = ({ device, activity }: Omit<ListedDevice, 'position'>) => ({
  ...fieldsOf(device),
  ...activityRecord(activity),
})

export const registrationRecord = ({ at, caller }: RegistrationRow) => ({
  at: at.toISOString(),
  address: caller.address,
  user_agent: caller.userAgent,
})

export const deviceSessionRecord = (session: DeviceSession) => ({
  id: session.id,
  chain_id: session.chainId,
  refreshed_from: session.previousId,
  store: session.store,
  opened_at: session.openedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  address: session.caller.address,
  user_agent: session.caller.userAgent,
})

/** The assertion is text. */
export const assertionRecord = ({ revision, authorityId, signingKeyId, encoded }: SerialAssertion) => ({
  revision,
  authority_id: authorityId,
  signing_key_id: signingKeyId,
  assertion: Buffer.from(encoded).toString('utf8'),
})

export const evidenceRecord = ({ details, ...evidence }: CloneEvidence) => ({
  kind: evidence.kind,
  subject: evidence.subject,
  times: evidence.times,
  first_seen_at: evidence.firstSeenAt.toISOString(),
  last_seen_at: evidence.lastSeenAt.toISOString(),
  details,
})

/** The record of evidence in a list of many devices. */
export const cloneEvidenceRecord = ({ device, evidence }: EvidenceOf) => {
  const { id, brand_id, model, serial, status, quarantined_at } = fieldsOf(device)
  return { device_id: id, brand_id, model, serial, status, quarantined_at, ...evidenceRecord(evidence) }
}

/** The record of an entry in the audit log. */
export const historyRecord = ({ id, at, actor, action, details }: AuditEntry) => ({
  id,
  at: at.toISOString(),
  actor,
  action,
  details: JSON.parse(details) as Readonly<Record<string, unknown>>,
})
