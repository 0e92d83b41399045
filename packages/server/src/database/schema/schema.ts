/**
 * The tables as queries see them, all in one list. Instants are epoch milliseconds in a bigint column (`Date` in code:
 * see `instant.ts`); both databases return bytes as `Buffer`. The migrations explain what each column means.
 */
export interface Schema {
  root_key: RootKeyTable
  key_pair: KeyPairTable
  seal_check: SealCheckTable
  account: AccountTable
  external_identity: ExternalIdentityTable
  agent: AgentTable
  sign_in_session: SignInSessionTable
  completed_login: CompletedLoginTable
  token_session: TokenSessionTable
  package: PackageTable
  assertion: AssertionTable
  trust_root: TrustRootTable
  brand: BrandTable
  signing_key: SigningKeyTable
  model: ModelTable
  remodel: RemodelTable
  api_key: ApiKeyTable
  allow_list: AllowListTable
  hardware_identity: HardwareIdentityTable
  device: DeviceTable
  serial_assertion: SerialAssertionTable
  device_registration: DeviceRegistrationTable
  device_session: DeviceSessionTable
  clone_evidence: CloneEvidenceTable
  audit_entry: AuditEntryTable
  audit_chain: AuditChainTable
  job_lease: JobLeaseTable
}

export interface RootKeyTable {
  id: number
  sealed: Uint8Array
  created_at: number
}

export interface KeyPairTable {
  id: number
  purpose: 'issuer' | 'discharger'
  public_key: Uint8Array
  sealed_private_key: Uint8Array
  created_at: number
}

export interface SealCheckTable {
  id: number
  sealed: Uint8Array
}

export interface AccountTable {
  id: string
  username: string
  email: string
  name: string
  password_hash: string | null
  disabled_at: number | null
  created_at: number
}

export interface ExternalIdentityTable {
  issuer: string
  subject: string
  account_id: string
  created_at: number
}

export interface AgentTable {
  name: string
  account_id: string
  public_key: Uint8Array
  created_at: number
}

export interface SignInSessionTable {
  id_hash: Uint8Array
  account_id: string
  created_at: number
  expires_at: number
}

export interface CompletedLoginTable {
  login_id: Uint8Array
  account_id: string
  decision: 'approved' | 'denied'
  completed_at: number
  expires_at: number
}

export interface TokenSessionTable {
  session_id: string
  account_id: string
  description: string | null
  valid_since: number
  valid_until: number
  created_at: number
  revoked_at: number | null
  revoked_by: string | null
}

export interface PackageTable {
  name: string
  snap_id: string
}

export interface AssertionTable {
  type: string
  primary_key: string
  revision: number
  encoded: Uint8Array
  stored_at: number
}

export interface TrustRootTable {
  type: string
  primary_key: string
  account_id: string
  encoded: Uint8Array
  added_at: number
}

export interface BrandTable {
  account_id: string
  display_name: string
  added_at: number
}

export interface SigningKeyTable {
  key_id: string
  account_id: string
  sealed: Uint8Array
  added_at: number
  disabled_at: number | null
}

export interface ModelTable {
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

export interface RemodelTable {
  from_brand_id: string
  from_model: string
  to_brand_id: string
  to_model: string
  allowed_at: number
}

export interface ApiKeyTable {
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

export interface AllowListTable {
  brand_id: string
  model: string
  serial: string
  device_key_id: string
  added_at: number
}

export interface HardwareIdentityTable {
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

export interface DeviceTable {
  id: string
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
}

export interface SerialAssertionTable {
  brand_id: string
  model: string
  serial: string
  revision: number
  device_id: string
  encoded: Uint8Array
  authority_id: string
  signing_key_id: string
  stored_at: number
}

export interface DeviceRegistrationTable {
  request_id_hash: Uint8Array
  device_id: string
  request_hash: Uint8Array
  registered_at: number
  address: string
  user_agent: string
}

export interface DeviceSessionTable {
  session_id: string
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

export interface CloneEvidenceTable {
  device_id: string
  kind: string
  subject: string
  first_seen_at: number
  last_seen_at: number
  times: number
  details: string
}

export interface AuditEntryTable {
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

export interface AuditChainTable {
  id: number
  base_seq: number
  base_hash: string
  seq: number
  hash: string
}

export interface JobLeaseTable {
  name: string
  holder: string
  held_until: number
}
