/** An account's own setting for reminders by mail, which it can switch off and on. */
import type { AccountId } from '@ratafia/api'
import { type Account, requireNotRemoved } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import { type Authority, ownId } from '../authority.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import type { Channel } from './reminder.ts'

/** The setting as the API shows it. */
const remindersRecord = (
  { remindersOffAt, email }: Pick<Account, 'remindersOffAt' | 'email'>,
  sentBy: readonly Channel[],
) => ({
  reminders: remindersOffAt === undefined,
  email: email === '' ? null : email,
  sent_by: [...sentBy],
})
export type RemindersRecord = ReturnType<typeof remindersRecord>

export interface Sending {
  /** The channels that the service sends reminders through. */
  readonly sentBy: readonly Channel[]
}

/** A caller with direct access to the database has no account, and so gets no reminders. */
export async function ownReminders(
  { authority: { accountId } }: { readonly authority: Authority },
  { accounts, sentBy }: TransactionStores & Sending,
): Promise<RemindersRecord> {
  if (accountId === undefined) return { reminders: false, email: null, sent_by: [...sentBy] }
  return remindersRecord(await own(accountId, accounts), sentBy)
}

interface Switching {
  readonly authority: Authority
  /** Whether to switch them on; undefined to leave it unchanged. */
  readonly on: boolean | undefined
  /** Throws `version-mismatch` if the record differs from the state that the caller has seen. */
  readonly mustBeSeen?: ((now: RemindersRecord) => void) | undefined
}

/** Does nothing if the setting already has this value. Throws the errors of `mustBeSeen`. */
export async function switchOwnReminders(
  { authority, on, mustBeSeen }: Switching,
  { changeBy, clock, sentBy }: Stores & Sending,
): Promise<RemindersRecord> {
  const id = ownId(authority)
  return changeBy(authority.author)(async ({ accounts, record }) => {
    const before = requireNotRemoved((await accounts.lock(id)) ?? (await own(id, accounts)))
    const now = remindersRecord(before, sentBy)
    mustBeSeen?.(now)
    if (on === undefined || on === now.reminders) return now
    const remindersOffAt = on ? undefined : clock()
    await accounts.switchReminders(id, remindersOffAt)
    const action = on ? 'account.reminders-on' : 'account.reminders-off'
    await record({ action, subject: before.username })
    return remindersRecord({ ...before, remindersOffAt }, sentBy)
  })
}

async function own(id: AccountId, accounts: Pick<AccountStore, 'findById'>): Promise<Account> {
  const account = await accounts.findById(id)
  if (!account) throw new TypeError(`no account ${id}`)
  return account
}
