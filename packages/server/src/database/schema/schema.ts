import type { Selectable } from 'kysely'
import type { AccountTables } from './account-tables.ts'
import type { ManagementTables } from './management-tables.ts'

/**
 * The tables as queries see them, together with those of accounts, CI, fleets and administration
 * (`*-tables.ts`). Instants are epoch milliseconds in a bigint column (`Date` in code: see `instant.ts`).
 * Both databases return bytes as `Buffer`. The migrations explain each column.
 */
export interface Schema extends AccountTables, CiTables, FleetTables, ManagementTables {
  root_key: {
    id: number
    sealed: Uint8Array
    created_at: number
  }
  key_pair: {
    id: number
    purpose: 'issuer' | 'discharger'
    public_key: Uint8Array
    sealed_private_key: Uint8Array
    created_at: number
  }
  seal_check: {
    id: number
    sealed: Uint8Array
  }
  package: {
    name: string
    snap_id: string
  }
  assertion: {
    type: string
    primary_key: string
    revision: number
    encoded: Uint8Array
    stored_at: number
  }
  trust_root: {
    type: string
    primary_key: string
    account_id: string
    encoded: Uint8Array
    added_at: number
  }
  brand: {
    account_id: string
    display_name: string
    added_at: number
  }
  signing_key: {
    key_id: string
    account_id: string
    sealed: Uint8Array
    added_at: number
    disabled_at: number | null
  }
  model: {
    brand_id: string
    model: string
    registration: 'auto' | 'allow-list' | 'approval'
    proposed_serial: 'required' | 'optional' | 'ignored'
    taken_serial: 'refuse' | 'reissue'
    serial_template: string | null
    next_number: number
    hardware_identity: number
    quarantine_clones: number
    added_at: number
  }
  remodel: {
    from_brand_id: string
    from_model: string
    to_brand_id: string
    to_model: string
    allowed_at: number
  }
  api_key: {
    id: string
    brand_id: string
    model: string
    label: string
    key_hash: Uint8Array
    created_at: number
    expires_at: number | null
    use_limit: number | null
    uses: number
    last_used_at: number | null
    revoked_at: number | null
  }
  allow_list: {
    brand_id: string
    model: string
    serial: string
    device_key_id: string
    added_at: number
  }
  hardware_identity: {
    issuer_id: string
    key_sha3_384: string
    key_sha384: string
    manufacturer: string
    hardware_name: string
    hardware_id: string
    revision: number
    encoded: Uint8Array
    imported_at: number
  }
  device: {
    id: string
    bucket: number
    brand_id: string
    model: string
    serial: string
    device_key_id: string
    status: 'pending' | 'rejected' | 'active' | 'superseded' | 'revoked'
    revision: number | null
    origin: 'registration' | 'session' | 'import'
    original: string | null
    request: Uint8Array | null
    registered_at: number
    decided_at: number | null
    decided_by: string | null
    reason: string | null
    quarantined_at: number | null
    waits_in_narrow: string | null
    waits_in_middle: string | null
    waits_in_wide: string | null
    last_session_at: number | null
    removed_at: number | null
  }
  serial_holder: {
    brand_id: string
    model: string
    serial: string
    bucket: number | null
    device_id: string | null
    revision: number | null
  }
  serial_assertion: {
    brand_id: string
    model: string
    serial: string
    revision: number
    bucket: number
    device_id: string
    encoded: Uint8Array
    authority_id: string
    signing_key_id: string
    stored_at: number
  }
  device_registration: {
    request_id_hash: Uint8Array
    bucket: number
    device_id: string
    request_hash: Uint8Array
    registered_at: number
    address: string
    user_agent: string
  }
  used_request_id: {
    request_id_hash: Uint8Array
    used_at: number
  }
  device_session: {
    session_id: string
    bucket: number
    device_id: string
    chain_id: string
    previous_id: string | null
    nonce_hash: Uint8Array
    request_hash: Uint8Array
    macaroon_id: Uint8Array
    store: string | null
    opened_at: number
    expires_at: number
    address: string
    user_agent: string
  }
  clone_evidence: {
    device_id: string
    bucket: number
    kind: string
    subject: string
    first_seen_at: number
    last_seen_at: number
    times: number
    details: string
  }
  audit_entry: {
    id: string
    at: number
    actor: string
    source: string
    action: string
    subject: string
    details: string
    seq: number | null
    previous_hash: string | null
    hash: string | null
  }
  audit_chain: {
    id: number
    base_seq: number
    base_hash: string
    seq: number
    hash: string
  }
  job_lease: {
    name: string
    holder: string
    held_until: number
  }
}

export type AccountTable = Schema['account']
export type CompletedLoginTable = Schema['completed_login']
export type TokenSessionTable = Selectable<Schema['token_session']>
export type PublisherRuleTable = Schema['publisher_rule']
export type ModelTable = Schema['model']
export type ApiKeyTable = Schema['api_key']
export type RemodelTable = Schema['remodel']
export type SigningKeyTable = Schema['signing_key']
export type DeviceTable = Schema['device']
export type SerialHolderTable = Schema['serial_holder']
export type SerialAssertionTable = Schema['serial_assertion']
export type DeviceRegistrationTable = Schema['device_registration']
export type DeviceSessionTable = Schema['device_session']
export type CloneEvidenceTable = Schema['clone_evidence']
export type AuditEntryTable = Schema['audit_entry']

/** The tables of CI jobs: see `schema.ts`. */
interface CiTables {
  oidc_issuer: {
    id: string
    url: string
    kind: string
    settings: string
    created_at: number
  }
  oidc_issuer_keys: {
    issuer_id: string
    revision: string
    keys: string
    algorithms: string
    pinned_at: number | null
    fetched_at: number
    tried_at: number
    failure: string | null
  }
  publisher_rule: {
    id: string
    name: string
    issuer_id: string
    account_id: string
    version: string
    ids: string
    matchers: string
    grants: string
    lifetime: number
    created_at: number
    disabled_at: number | null
    last_used_at: number | null
  }
  used_workload_token: {
    issuer: string
    token_key: string
    session_id: string
    used_at: number
    expires_at: number
    idempotency_hash: string | null
  }
}

/** The tables about a whole register of devices: see `schema.ts`. */
interface FleetTables {
  device_activity: {
    device_id: string
    bucket: number
    brand_id: string
    last_seen_at: number | null
    address: string | null
    address_key: string | null
    evidence_at: number | null
  }
  device_count: {
    brand_id: string
    model: string
    status: string
    devices: number
    counted_at: number
  }
}
