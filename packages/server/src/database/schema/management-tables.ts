/** The tables of administration: see `schema.ts`. */
export interface ManagementTables {
  service_process: {
    id: string
    host: string
    release: string
    seen_at: number
  }
  counter: {
    name: string
    brand_id: string
    span: 'h' | 'd'
    at: number
    label: string
    n: number
  }
  token_activity: {
    session_id: string
    last_used_at: number
    address: string
  }
  reminder: {
    channel: 'mail' | 'webhook'
    recipient: string
    kind: string
    subject: string
    ends_at: number
    days: number
    id: string
    queued_at: number
    attempts: number
    next_at: number | null
    outcome: 'delivered' | 'dropped' | 'given-up' | null
  }
  role_grant: {
    subject_kind: 'account'
    subject: string
    role: string
    brand_id: string
    granted_at: number
    granted_by: string
    expires_at: number | null
    agents: string | null
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
  kept_form: {
    id: Uint8Array
    account_id: string
    sealed: Uint8Array
    kept_at: number
    expires_at: number
  }
  job: {
    id: string
    kind: string
    state: 'uploading' | 'queued' | 'running' | 'done' | 'cancelled' | 'stopped' | 'failed'
    account_id: string
    made_by: string
    session_id: string
    source: string
    authority: string
    settings: string
    total: number
    done: number
    unchanged: number
    refused: number
    created_at: number
    started_at: number | null
    ended_at: number | null
    note: string | null
  }
  job_item: {
    job_id: string
    place: number
    subject: string
    outcome: 'done' | 'unchanged' | 'refused' | null
    code: string | null
    message: string | null
    result: string | null
    extra: string | null
  }
  job_part: {
    job_id: string
    place: number
    body: Uint8Array
  }
}
