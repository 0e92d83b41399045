/** The accounts in the database, and their identities at external identity services. */
import type { AccountId, Username } from '@ratafia/api'
import { sql } from 'kysely'
import {
  type AccountTable,
  announce,
  asciiLower,
  changeAnnounced,
  compiledOnce,
  type Database,
  fromInstant,
  inTransaction,
  isUniqueViolation,
  rowLock,
  toInstant,
} from '../database/index.ts'
import { invalidField } from '../errors.ts'
import type { Account } from './account.ts'
import {
  type ExternalIdentity,
  insertAccount,
  insertIdentity,
  type NewAccount,
} from './account-insert-store.ts'

export type { ExternalIdentity }

/** An account with its stored hash, which is only for checking a password. */
export interface WithPassword {
  readonly account: Account
  readonly passwordHash: string | undefined
}

export interface LinkedIdentity extends ExternalIdentity {
  /** When it was linked to the account. */
  readonly createdAt: Date
}

export interface AccountFilter {
  /** The beginning of the username. */
  readonly beginning?: string | undefined
  readonly state?: 'enabled' | 'disabled' | undefined
}

export interface AccountStore {
  /**
   * Inserts the account. Returns false, and writes nothing, if the username (or the id) is taken, even by a
   * simultaneous call, or if both this account and another one with the e-mail address have a password.
   */
  insert(account: NewAccount): Promise<boolean>
  /**
   * Inserts the account and the identity that owns it, both or neither. If a simultaneous call wins, returns
   * `username-taken` or `identity-taken`, and the caller looks up the identity again.
   */
  insertWithIdentity(
    account: NewAccount,
    identity: ExternalIdentity,
  ): Promise<'inserted' | 'username-taken' | 'identity-taken'>
  /** Links an identity to an existing account. Returns false if the identity already belongs to an account. */
  insertIdentity(identity: ExternalIdentity, accountId: AccountId, createdAt: Date): Promise<boolean>
  findById(id: AccountId): Promise<Account | undefined>
  /** Returns false if the account is removed. Otherwise no other transaction removes it until this one ends. */
  keep(id: AccountId): Promise<boolean>
  findByUsername(username: Username): Promise<Account | undefined>
  /** Returns the agent with this name and its account, both as they were at one moment. */
  findByAgent(name: string): Promise<
    | {
        readonly account: Account
        readonly agent: { readonly publicKey: Uint8Array; readonly limits: string | null }
      }
    | undefined
  >
  /** Returns the identities of one account, ordered by issuer and subject, after `after`. */
  identitiesOf(
    id: AccountId,
    page: { readonly after: ExternalIdentity | undefined; readonly limit: number },
  ): Promise<readonly LinkedIdentity[]>
  findByIdentity(identity: ExternalIdentity): Promise<Account | undefined>
  findPassword(username: Username): Promise<WithPassword | undefined>
  /** Returns the account with a password and this e-mail address, ignoring the case of ASCII letters. */
  findPasswordByEmail(email: string): Promise<WithPassword | undefined>
  /** Returns the account. Until this transaction ends, no other one changes or removes it, or adds anything to it. */
  lock(id: AccountId): Promise<Account | undefined>
  /** Returns the accounts that fit and are not removed, after `after` up to `last`, in the database's text order. */
  page(options: {
    readonly after: string | undefined
    readonly last?: Username | undefined
    readonly limit: number
    readonly filter?: AccountFilter
  }): Promise<Account[]>
  /** Returns the username `rows` places after `after`, counting removed accounts; undefined if there are fewer. */
  nth(rows: number, options: { readonly after: string | undefined }): Promise<Username | undefined>
  /** Disables the account. Returns false if there is no such account, or it is disabled already and keeps its time. */
  disable(id: AccountId, at: Date): Promise<boolean>
  /** Enables the account. Returns false if there is no such account, or it is enabled already or removed. */
  enable(id: AccountId): Promise<boolean>
  /**
   * Invalidates the logins of the account: {@link Account.loginsSince} becomes `at`, or a millisecond later
   * than it was. Returns false if there is no such account.
   */
  endLogins(id: AccountId, at: Date): Promise<boolean>
  /**
   * Sets the hash. Returns false if there is no such account, if it is removed, or if its hash is no longer
   * `replacing`. Throws `invalid-field` if another account with a password has its e-mail address.
   */
  setPasswordHash(id: AccountId, passwordHash: string, replacing?: string): Promise<boolean>
  /** Returns false if there is no such account, or it is removed. Throws as {@link setPasswordHash} does. */
  edit(id: AccountId, changes: { readonly name?: string; readonly email?: string }): Promise<boolean>
  /** Undefined switches them on. Returns false if there is no such account, it is removed, or nothing changes. */
  switchPasswordLogins(id: AccountId, offAt: Date | undefined): Promise<boolean>
  /** Does the same for reminders by mail. */
  switchReminders(id: AccountId, offAt: Date | undefined): Promise<boolean>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly accounts: AccountStore
  }
}

/** Index: the primary key. */
const selectById = compiledOnce((query, { id }: { id: AccountId }) =>
  query.selectFrom('account').selectAll().where('id', '=', id),
)

/** Indexes: both primary keys. */
const selectByAgent = compiledOnce((query, { name }: { name: string }) =>
  query
    .selectFrom('account')
    .selectAll('account')
    .innerJoin('agent', 'agent.account_id', 'account.id')
    .select(['agent.public_key', 'agent.limits'])
    .where('agent.name', '=', name),
)

export function accountStore({ query }: Pick<Database, 'query'>): AccountStore {
  const select = () => query.selectFrom('account').selectAll('account')
  /** Primary key. */
  const named = (transaction: Query, id: AccountId) => transaction.updateTable('account').where('id', '=', id)
  const changed = (id: AccountId, change: (account: ReturnType<typeof named>) => ReturnType<typeof named>) =>
    changeAnnounced(query, { kind: 'account', id }, (transaction) => change(named(transaction, id)))

  return {
    insert: (account) => insertAccount(query, account),

    insertWithIdentity: (account, identity) =>
      inTransaction(query, async (transaction) => {
        // A second transaction with the same username waits here for the first, and then inserts nothing.
        if (!(await insertAccount(transaction, account))) return 'username-taken'
        if (await insertIdentity(transaction, identity, account.id, account.createdAt)) return 'inserted'
        // Undo it by a statement, because this transaction may be part of another one, which must not be rolled back.
        await transaction.deleteFrom('account').where('id', '=', account.id).execute()
        await announce(transaction, 'account', [account.id])
        return 'identity-taken'
      }),

    insertIdentity: (identity, accountId, createdAt) => insertIdentity(query, identity, accountId, createdAt),

    findById: async (id) => optionalAccount((await selectById(query, { id })).rows[0]),

    // Index: the primary key. This lock blocks a removal, because that changes the username, which is a key.
    keep: async (id) => {
      const row = await query
        .selectFrom('account')
        .select('id')
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .modifyEnd(rowLock(query, 'key share'))
        .executeTakeFirst()
      return row !== undefined
    },

    // Index: the unique one on username.
    findByUsername: async (username) =>
      optionalAccount(await select().where('username', '=', username).executeTakeFirst()),

    findByAgent: async (name) => {
      const [row] = (await selectByAgent(query, { name })).rows
      return row && { account: accountOf(row), agent: { publicKey: row.public_key, limits: row.limits } }
    },

    // Index: the primary key (issuer, subject) of external_identity.
    findByIdentity: async ({ issuer, subject }) =>
      optionalAccount(
        await select()
          .innerJoin('external_identity', 'external_identity.account_id', 'account.id')
          .where('external_identity.issuer', '=', issuer)
          .where('external_identity.subject', '=', subject)
          .executeTakeFirst(),
      ),

    // Index: external_identity_account.
    identitiesOf: async (id, { after, limit }) => {
      let ofAccount = query.selectFrom('external_identity').selectAll().where('account_id', '=', id)
      if (after) {
        ofAccount = ofAccount.where((where) =>
          where(where.refTuple('issuer', 'subject'), '>', where.tuple(after.issuer, after.subject)),
        )
      }
      const rows = await ofAccount.orderBy('issuer').orderBy('subject').limit(limit).execute()
      return rows.map(({ issuer, subject, created_at }) => ({
        issuer,
        subject,
        createdAt: fromInstant(created_at),
      }))
    },

    // Index: the unique one on username.
    findPassword: async (username) => {
      const row = await select().where('username', '=', username).executeTakeFirst()
      return row && withPassword(row)
    },

    // Index: account_email_key.
    findPasswordByEmail: async (email) => {
      const row = await select()
        .where('password_hash', 'is not', null)
        .where('email', '<>', '')
        .where(asciiLower(query, sql.ref('email')), '=', asciiLower(query, sql`cast(${email} as text)`))
        .executeTakeFirst()
      return row && withPassword(row)
    },

    // Index: the primary key.
    lock: async (id) =>
      optionalAccount(
        await select().where('id', '=', id).modifyEnd(rowLock(query, 'update')).executeTakeFirst(),
      ),

    // Index: the unique one on username, read in its order from `after`.
    page: async ({ after, last, limit, filter: { beginning, state } = {} }) => {
      let fitting = select()
        .where('username', '>', (after ?? '') as Username)
        .where('removed_at', 'is', null)
      if (last !== undefined) fitting = fitting.where('username', '<=', last)
      if (beginning !== undefined) {
        fitting = fitting.where(sql`substr(username, 1, ${sql.lit(beginning.length)})`, '=', beginning)
      }
      if (state !== undefined) {
        fitting = fitting.where('disabled_at', state === 'enabled' ? 'is' : 'is not', null)
      }
      return (await fitting.orderBy('username').limit(limit).execute()).map(accountOf)
    },

    // Index: the unique one on username alone.
    nth: async (rows, { after }) => {
      const row = await query
        .selectFrom('account')
        .select('username')
        .where('username', '>', after ?? '')
        .orderBy('username')
        .offset(rows - 1)
        .limit(1)
        .executeTakeFirst()
      // The cast is safe: usernames are checked when they are written.
      return row?.username as Username | undefined
    },

    disable: (id, at) =>
      changed(id, (account) => account.set({ disabled_at: toInstant(at) }).where('disabled_at', 'is', null)),

    enable: (id) =>
      changed(id, (account) =>
        account
          .set({ disabled_at: null })
          .where('disabled_at', 'is not', null)
          .where('removed_at', 'is', null),
      ),

    endLogins: (id, at) =>
      changed(id, (account) =>
        account
          // Always later than before, even if the clock was set back, because logins name the instant they saw.
          .set((eb) => ({
            logins_since: eb
              .case()
              .when('logins_since', '>=', toInstant(at))
              .then(eb('logins_since', '+', 1))
              .else(toInstant(at))
              .end(),
          })),
      ),

    setPasswordHash: (id, passwordHash, replacing) =>
      changed(id, (account) =>
        account
          .set({ password_hash: passwordHash })
          .where('removed_at', 'is', null)
          .$if(replacing !== undefined, (same) => same.where('password_hash', '=', replacing ?? '')),
      ).catch(emailTaken),

    edit: (id, changes) =>
      changed(id, (account) => account.set(changes).where('removed_at', 'is', null)).catch(emailTaken),

    switchPasswordLogins: (id, offAt) =>
      changed(id, (account) =>
        account
          .set({ password_logins_off_at: offAt ? toInstant(offAt) : null })
          .where('password_logins_off_at', offAt ? 'is' : 'is not', null)
          .where('removed_at', 'is', null),
      ),

    switchReminders: (id, offAt) =>
      changed(id, (account) =>
        account
          .set({ reminders_off_at: offAt ? toInstant(offAt) : null })
          .where('reminders_off_at', offAt ? 'is' : 'is not', null)
          .where('removed_at', 'is', null),
      ),
  }
}

type Query = Database['query']

/** Throws `invalid-field` for a violation of account_email_key, and any other error unchanged. */
function emailTaken(error: unknown): never {
  if (!isUniqueViolation(error, 'account.email')) throw error
  throw invalidField('Another account with a password has this e-mail address. Change one of them.', {
    field: 'email',
    cause: error,
  })
}

const withPassword = (row: AccountTable): WithPassword => ({
  account: accountOf(row),
  passwordHash: row.password_hash ?? undefined,
})

const optionalAccount = (row: AccountTable | undefined): Account | undefined => row && accountOf(row)

export function accountOf(row: AccountTable): Account {
  return {
    // The casts are safe: ids and usernames are checked when they are written.
    id: row.id as AccountId,
    username: row.username as Username,
    email: row.email,
    name: row.name,
    hasPassword: row.password_hash !== null,
    disabledAt: fromInstant(row.disabled_at) ?? undefined,
    loginsSince: fromInstant(row.logins_since) ?? undefined,
    passwordLoginsOffAt: fromInstant(row.password_logins_off_at) ?? undefined,
    remindersOffAt: fromInstant(row.reminders_off_at) ?? undefined,
    ...(row.removed_at === null ? {} : { removedAt: fromInstant(row.removed_at) }),
    createdAt: fromInstant(row.created_at),
  }
}
