/** `ratafia accounts remove`: for the protection of data. */
import type { Command } from 'commander'
import { confirmTyped, withNeededYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { counted, type JsonOption, print, withJson } from '../output.ts'

export function removeAccountCommand(accounts: Command, context: CommandContext): void {
  withNeededYes(withJson(accounts.command('remove <username>')))
    .description('end an account for good and remove what is personal; its username is free again')
    .action(async (name: string, options: JsonOption & YesOption) => {
      const { findAccount } = await import('../../accounts/find.ts')
      const { removeAccount } = await import('../../accounts/removal/remove-account.ts')
      const { account, revoked, rules, before } = await context.withInstallation(async (installation) => {
        const found = await findAccount(name, installation)
        await confirmTyped(context, options, () => ({
          told: `The account ${found.username} (id ${found.id}) loses its password, its agents, its rules for jobs, its identities and all its tokens, and becomes nobody's. This cannot be undone.`,
          type: found.username,
        }))
        return removeAccount({ account: found.id, authority: installation.authority }, installation)
      })
      const { id, username, removedAt } = account
      const removed = { id, username, removed_at: removedAt?.toISOString() ?? null }
      const told = before
        ? `The account ${id} was removed before, at ${removed.removed_at}.`
        : `The account ${id} is removed; ${counted(revoked, 'session')} of its tokens ${revoked === 1 ? 'was' : 'were'} revoked${rulesText(rules)}. What is left of it is called ${username}.`
      print(context, options, { ...removed, revoked, rules, removed_before: before }, told)
    })
}

const rulesText = (rules: number): string =>
  rules === 0 ? '' : `, and ${counted(rules, 'rule')} for jobs ${rules === 1 ? 'was' : 'were'} removed`
