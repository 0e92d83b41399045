/** The tables of administration: see `schema.ts`. */
export interface ManagementTables {
  role_grant: {
    subject_kind: 'account'
    subject: string
    role: string
    brand_id: string
    granted_at: number
    granted_by: string
    expires_at: number | null
  }
  idempotent_request: {
    account_id: string
    key_hash: string
    request_hash: string
    started_at: number
    status: number | null
    headers: string | null
    sealed: Uint8Array | null
  }
}
