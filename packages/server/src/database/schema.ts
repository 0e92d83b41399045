/**
 * The tables, as the queries see them. Instants are epoch milliseconds in a bigint column (`Date` in code: see
 * `instant.ts`), bytes come back as `Buffer` from both databases. What a column means stands in the migrations.
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
