/** The tables of jobs of CI systems: see `schema.ts`. */
export interface CiTables {
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
