import type { Words } from '../../../differences.ts'

/**
 * The operator's side of device identity: the brands that the service trusts and signs for, and each model's
 * policy.
 */
export const brands = ({ bytes, instant, integer, strict }: Words): readonly string[] => [
  // Accounts, account-keys and models, as they were given. "primary_key" is its values joined by slashes,
  // which can't occur in a value of a primary key.
  `create table assertion (
    type text not null,
    primary_key text not null,
    revision ${integer} not null,
    encoded ${bytes} not null,
    stored_at ${instant} not null,
    constraint assertion_type_primary_key_key primary key (type, primary_key)
  )${strict}`,
  // Roots that are trusted without further proof, in addition to the built-in ones.
  `create table trust_root (
    type text not null constraint trust_root_type_check check (type in ('account', 'account-key')),
    primary_key text not null,
    account_id text not null,
    encoded ${bytes} not null,
    added_at ${instant} not null,
    constraint trust_root_type_primary_key_key primary key (type, primary_key)
  )${strict}`,
  'create index trust_root_account on trust_root (account_id)',

  // An account whose keys sign serials here: a brand, or another account that a model's serial-authority
  // names.
  `create table brand (
    account_id text not null constraint brand_account_id_key primary key,
    display_name text not null,
    added_at ${instant} not null
  )${strict}`,
  `create table signing_key (
    key_id text not null constraint signing_key_key_id_key primary key,
    account_id text not null constraint signing_key_account_fk references brand (account_id),
    sealed ${bytes} not null,
    added_at ${instant} not null,
    disabled_at ${instant}
  )${strict}`,
  'create index signing_key_account on signing_key (account_id)',

  // Without a template, serials are UUIDs. "next_number" only goes up, so a number is used once.
  `create table model (
    brand_id text not null constraint model_brand_fk references brand (account_id),
    model text not null,
    registration text not null
      constraint model_registration_check check (registration in ('auto', 'allow-list', 'approval')),
    proposed_serial text not null
      constraint model_proposed_serial_check check (proposed_serial in ('required', 'optional', 'ignored')),
    taken_serial text not null
      constraint model_taken_serial_check check (taken_serial in ('refuse', 'reissue')),
    serial_template text,
    next_number ${integer} not null,
    hardware_identity ${integer} not null
      constraint model_hardware_identity_check check (hardware_identity in (0, 1)),
    quarantine_clones ${integer} not null
      constraint model_quarantine_clones_check check (quarantine_clones in (0, 1)),
    added_at ${instant} not null,
    constraint model_brand_id_model_key primary key (brand_id, model)
  )${strict}`,
  `create table remodel (
    from_brand_id text not null,
    from_model text not null,
    to_brand_id text not null,
    to_model text not null,
    allowed_at ${instant} not null,
    constraint remodel_from_brand_id_from_model_to_brand_id_to_model_key
      primary key (from_brand_id, from_model, to_brand_id, to_model),
    constraint remodel_from_fk foreign key (from_brand_id, from_model) references model (brand_id, model),
    constraint remodel_to_fk foreign key (to_brand_id, to_model) references model (brand_id, model)
  )${strict}`,

  // This table has only the key's hash, so reading it does not let anyone register.
  `create table api_key (
    id text not null constraint api_key_id_key primary key,
    brand_id text not null,
    model text not null,
    label text not null,
    key_hash ${bytes} not null constraint api_key_key_hash_key unique,
    created_at ${instant} not null,
    expires_at ${instant},
    use_limit ${integer},
    uses ${integer} not null,
    last_used_at ${instant},
    revoked_at ${instant},
    constraint api_key_model_fk foreign key (brand_id, model) references model (brand_id, model)
  )${strict}`,
  'create index api_key_model on api_key (brand_id, model)',
  // Finds the keys that get a reminder (`schema/reminded.ts`).
  `create index api_key_expires on api_key (expires_at, id) where expires_at is not null and revoked_at is null`,

  // An empty serial or key id means any, because primary keys cannot contain nulls.
  `create table allow_list (
    brand_id text not null,
    model text not null,
    serial text not null,
    device_key_id text not null,
    added_at ${instant} not null,
    constraint allow_list_brand_id_model_serial_device_key_id_key
      primary key (brand_id, model, serial, device_key_id),
    constraint allow_list_something_check check (serial <> '' or device_key_id <> ''),
    constraint allow_list_model_fk foreign key (brand_id, model) references model (brand_id, model)
  )${strict}`,

  `create table hardware_identity (
    issuer_id text not null,
    key_sha3_384 text not null,
    key_sha384 text not null,
    manufacturer text not null,
    hardware_name text not null,
    hardware_id text not null,
    revision ${integer} not null,
    encoded ${bytes} not null,
    imported_at ${instant} not null,
    constraint hardware_identity_key_sha3_384_issuer_id_key primary key (key_sha3_384, issuer_id)
  )${strict}`,
  'create index hardware_identity_key_sha384 on hardware_identity (key_sha384)',
]
