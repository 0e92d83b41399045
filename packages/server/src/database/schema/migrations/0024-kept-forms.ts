import type { Migration } from '../migration.ts'

/** Forms of the console that came too late for a recent sign-in, until their person has signed in again. */
export const keptForms: Migration = {
  name: '0024-kept-forms',
  statements: ({ bytes, instant, strict }) => [
    // "sealed" under a key that is derived from a secret of the browser, which is not stored.
    `create table kept_form (
      id ${bytes} not null constraint kept_form_id_key primary key,
      account_id text not null constraint kept_form_account_fk references account (id),
      sealed ${bytes} not null,
      kept_at ${instant} not null,
      expires_at ${instant} not null
    )${strict}`,
    'create index kept_form_account on kept_form (account_id, kept_at)',
    'create index kept_form_expires on kept_form (expires_at)',
  ],
}
