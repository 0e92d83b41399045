/** Whether one gets reminders by mail: an account switches its own off and on. */
import type { AccountId } from '@ratafia/api'
import { type Account, requireNotRemoved } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Authority } from '../authority.ts'
import type { ChangingBy } from '../change.ts'

/** As the API shows it. */
export const remindersRecord = ({ remindersOffAt, email }: Pick<Account, 'remindersOffAt' | 'email'>) => ({
  reminders: remindersOffAt === undefined,
  email: email === '' ? null : email,
})
export type RemindersRecord = ReturnType<typeof remindersRecord>

export async function ownReminders(
  { authority }: { readonly authority: Authority },
  { accounts }: { readonly accounts: Pick<AccountStore, 'findById'> },
): Promise<RemindersRecord> {
  return remindersRecord(await own(accountIdOf(authority), accounts))
}

interface Switching {
  readonly authority: Authority
  /** Undefined: it stays as it is. */
  readonly on: boolean | undefined
  /** Throws `version-mismatch` for a record that is not what the caller has seen. */
  readonly mustBeSeen?: ((now: RemindersRecord) => void) | undefined
}

/** Does nothing where it is so already. Throws what `mustBeSeen` throws. */
export async function switchOwnReminders(
  { authority, on, mustBeSeen }: Switching,
  {
    changeBy,
    clock,
  }: {
    readonly changeBy: ChangingBy<{ readonly accounts: AccountStore }>
    readonly clock: () => Date
  },
): Promise<RemindersRecord> {
  const id = accountIdOf(authority)
  return changeBy(authority.author)(async ({ accounts, record }) => {
    const before = requireNotRemoved((await accounts.lock(id)) ?? (await own(id, accounts)))
    mustBeSeen?.(remindersRecord(before))
    if (on === undefined || on === (before.remindersOffAt === undefined)) return remindersRecord(before)
    const remindersOffAt = on ? undefined : clock()
    await accounts.switchReminders(id, remindersOffAt)
    const action = on ? 'account.reminders-on' : 'account.reminders-off'
    await record({ action, subject: before.username })
    return remindersRecord({ ...before, remindersOffAt })
  })
}

async function own(id: AccountId, accounts: Pick<AccountStore, 'findById'>): Promise<Account> {
  const account = await accounts.findById(id)
  if (!account) throw new TypeError(`no account ${id}`)
  return account
}

function accountIdOf({ accountId }: Authority): AccountId {
  if (accountId === undefined) throw new TypeError('only an account has reminders of its own')
  return accountId
}
