/** The options that select entries of the audit log. */
import type { Command } from 'commander'
import type { AuditFilter } from '../../audit/audit-store.ts'
import { ACTIONS } from '../../change.ts'
import { type CommonOptions, UsageError } from '../context.ts'
import { readAgo, requireText } from '../option-values.ts'

export interface FilterOptions extends CommonOptions {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
}

export const withFilter = (command: Command): Command =>
  command
    .option(
      '--actor <actor>',
      'only changes by operator, service, account:USERNAME, device-key:ID or issuer:URL',
    )
    .option('--action <action>', 'only changes with this action (`audit list --help` lists the actions)')
    .option('--subject <id>', 'only changes to this object: a username, session, device, model, …')
    .option(
      '--since <time>',
      'only changes since this time: a time such as 2027-01-31T00:00:00Z, or how long ago, such as 7d',
    )
    .option('--until <time>', 'only changes before this time')

/** Reads the options. Throws {@link UsageError}. */
export function filterOf({ actor, action, subject, since, until }: FilterOptions, now: Date): AuditFilter {
  if (action !== undefined && !(action in ACTIONS)) {
    throw new UsageError(
      `--action ${action} is not an action. \`ratafia audit list --help\` lists the actions.`,
    )
  }
  requireText([actor, subject])
  return {
    actor,
    action,
    subject,
    since: readAgo('--since', since, now),
    until: readAgo('--until', until, now),
  }
}

/** Returns the filter as a query for the API. */
export const queryOf = ({ since, until, ...filter }: AuditFilter) => ({
  ...filter,
  since: since?.toISOString(),
  until: until?.toISOString(),
})
