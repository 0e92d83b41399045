/** Changes the name or the e-mail address of an account, or whether it gets reminders by mail. */
import { requireForAll } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import { type Account, requireNotRemoved } from '../account.ts'
import { checkDisplayName, checkEmail } from '../account-fields.ts'
import { findAccount } from '../find.ts'
import { type AccountRecord, accountRecord } from './account-record.ts'
import { requireMayManage } from './may-manage.ts'
import type { NamedAccount } from './show-account.ts'

export interface AccountChange extends NamedAccount {
  /** Throws `version-mismatch` if the record differs from what the caller has seen. */
  readonly mustBeSeen?: ((now: AccountRecord) => void) | undefined
}

interface Edit extends AccountChange {
  /** The new name; undefined to keep the old one. The same applies to the other fields. */
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly reminders?: boolean | undefined
}

/**
 * Changes the account. Throws {@link RequestError} as `requireMayManage` does; `no-such-record`;
 * `invalid-field` for a field that breaks its rule, and for an address that another account with a password
 * has; `state-conflict` for a removed account; and whatever `mustBeSeen` throws.
 */
export async function editAccount(
  { account: nameOrId, authority, mustBeSeen, ...wanted }: Edit,
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const found = await findAccount(nameOrId, stores)
  return stores.changeBy(authority.author)(async (on) => {
    await requireMayManage({ authority, account: found }, on, stores.clock())
    const before = requireNotRemoved((await on.accounts.lock(found.id)) ?? found)
    mustBeSeen?.(await accountRecord(before, on))
    // A value that a form sends back unchanged stays, even if it breaks a newer rule.
    const name = unlessSame(wanted.name, before.name, checkDisplayName)
    const email = unlessSame(wanted.email, before.email, checkEmail)
    const changes = {
      ...(name === undefined || name === before.name ? {} : { name }),
      ...(email === undefined || email === before.email ? {} : { email }),
    }
    const subject = before.username
    const { reminders } = wanted
    const isSwitched = reminders !== undefined && reminders !== (before.remindersOffAt === undefined)
    const after = isSwitched ? { ...before, remindersOffAt: reminders ? undefined : stores.clock() } : before
    if (isSwitched) {
      await on.accounts.switchReminders(before.id, after.remindersOffAt)
      await on.record({ action: reminders ? 'account.reminders-on' : 'account.reminders-off', subject })
    }
    if (Object.keys(changes).length === 0) return after
    await on.accounts.edit(before.id, changes)
    if (changes.name !== undefined) await on.record({ action: 'account.set-name', subject })
    if (changes.email !== undefined) await on.record({ action: 'account.set-email', subject })
    return { ...after, ...changes }
  })
}

const unlessSame = (wanted: string | undefined, before: string, check: (text: string) => string) =>
  wanted === undefined || wanted === before ? undefined : check(wanted)
