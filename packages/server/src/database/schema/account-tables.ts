/** The tables of accounts and their logins: see `schema.ts`. */
import type { Generated } from 'kysely'

export interface AccountTables {
  account: {
    id: string
    username: string
    email: string
    name: string
    password_hash: string | null
    disabled_at: number | null
    logins_since: number | null
    removed_at: number | null
    password_logins_off_at: number | null
    reminders_off_at: number | null
    created_at: number
  }
  external_identity: {
    issuer: string
    subject: string
    account_id: string
    created_at: number
  }
  agent: {
    name: string
    account_id: string
    public_key: Uint8Array
    limits: string | null
    created_at: number
  }
  sign_in_session: {
    id_hash: Uint8Array
    account_id: string
    logins_since: number | null
    created_at: number
    expires_at: number
    address: string | null
    user_agent: string | null
  }
  completed_login: {
    login_id: Uint8Array
    account_id: string
    decision: 'approved' | 'denied'
    logins_since: number | null
    signed_in_at: number | null
    completed_at: number
    expires_at: number
  }
  second_factor: {
    id: string
    account_id: string
    kind: string
    sealed: Uint8Array
    created_at: number
    confirmed_at: number | null
  }
  used_time_step: {
    account_id: string
    step: number
    used_at: number
  }
  recovery_code: {
    account_id: string
    code_hash: Uint8Array
    created_at: number
  }
  reset_link: {
    secret_hash: Uint8Array
    account_id: string
    logins_since: number
    created_at: number
    expires_at: number
  }
  setup_link: {
    id: number
    secret_hash: Uint8Array
    created_at: number
    expires_at: number
  }
  token_session: {
    session_id: string
    account_id: string
    kind: Generated<'developer' | 'management'>
    description: string | null
    limits: string | null
    origin: string | null
    opened_from: string | null
    opened_in: string | null
    user_agent: string | null
    rule_id: string | null
    job: string | null
    valid_since: number
    valid_until: number
    shortened_from: number | null
    created_at: number
    revoked_at: number | null
    revoked_by: string | null
  }
}
