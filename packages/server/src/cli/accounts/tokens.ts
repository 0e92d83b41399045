/** `ratafia tokens`: the sessions of developer tokens. */

import type { TokenRecord } from '@ratafia/api'
import type { Command } from 'commander'
import type { ListedSession } from '../../tokens/session.ts'
import { actOnEach } from '../act-on-each.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import type { Installation } from '../installation.ts'
import {
  counted,
  type JsonOption,
  note,
  print,
  printList,
  type Row,
  type RowOf,
  withJson,
  withList,
} from '../output.ts'

interface RevokeOptions extends JsonOption, YesOption {
  readonly account?: string
  readonly all?: boolean
}

interface ListOptions extends JsonOption {
  readonly account?: string
  readonly includeInactive?: boolean
}

const COLUMNS = [
  'session_id',
  'username',
  'valid_since',
  'valid_until',
  'revoked_at',
  'revoked_by',
  'description',
] as const

export function tokenCommands(parent: Command, context: CommandContext): void {
  const tokens = parent.command('tokens').description('the sessions of developer tokens')

  withList(tokens.command('list'), COLUMNS)
    .description('list the active sessions')
    .option('--account <username>', 'only those of one account')
    .option('--include-inactive', 'include revoked and expired sessions')
    .action(async (options: ListOptions) => {
      const { findAccount } = await import('../../accounts/find.ts')
      const { LIST_LIMIT, listSessions } = await import('../../tokens/list.ts')
      const { tokenRecord } = await import('../../tokens/session.ts')
      const sessions = await context.readInstallation(async (installation) => {
        const account =
          options.account === undefined ? undefined : await findAccount(options.account, installation)
        return listSessions(
          { accountId: account?.id, includeInactive: options.includeInactive === true },
          installation,
        )
      })
      printList(
        context,
        options,
        sessions.map((session): RowOf<typeof COLUMNS> & Row => ({
          ...tokenRow(tokenRecord(session)),
          username: session.username,
          ...jobRow(session),
        })),
        {
          columns: COLUMNS,
          empty: 'There is no session to show.',
        },
      )
      if (sessions.length >= LIST_LIMIT) {
        note(
          context.streams,
          `Only the newest ${LIST_LIMIT} are shown. --account shows those of one account.`,
        )
      }
    })

  withYes(withJson(tokens.command('revoke [session-id...]')))
    .description('end sessions, or all of an account: within a second every node refuses their tokens')
    .option('--account <username>', 'with --all: the account')
    .option(
      '--all',
      'revoke all sessions of the account, end its logins that were not used yet, and sign it out of every browser',
    )
    .action(async (sessionIds: readonly string[], options: RevokeOptions) => {
      if (options.all || options.account !== undefined) return revokeAllOf(sessionIds, options, context)
      if (sessionIds.length === 0) {
        throw new UsageError('Give the id of a session, or --account USERNAME --all.')
      }
      const { OPERATOR } = await import('../../accounts/account-fields.ts')
      const { revokeToken } = await import('../../tokens/revoke.ts')
      const consequence = (sessionId: string) =>
        `The tokens of the session ${sessionId} stop working for good.`
      const act = async (sessionId: string, installation: Installation) => {
        const { macaroons } = await revokeToken({ sessionId, by: OPERATOR }, installation)
        const [revoked] = macaroons
        const told = `The session ${sessionId} was revoked at ${revoked?.['revoked-at']} by ${revoked?.['revoked-by']}.`
        return { value: revoked && tokenRow(revoked), told }
      }
      await actOnEach(sessionIds, { thing: 'session', done: 'revoked', consequence, act }, options, context)
    })
}

async function revokeAllOf(
  sessionIds: readonly string[],
  options: RevokeOptions,
  context: CommandContext,
): Promise<void> {
  const { account: username, all } = options
  if (sessionIds.length > 0 || username === undefined || !all) {
    throw new UsageError('Give either the id of a session, or --account USERNAME --all.')
  }
  const { OPERATOR } = await import('../../accounts/account-fields.ts')
  const { revokeAll } = await import('../../accounts/ended-logins/revoke-all.ts')
  const { findAccount } = await import('../../accounts/find.ts')
  const { account, revoked } = await context.withInstallation(async (installation) => {
    await confirm(context, options, async () => {
      const { username: name } = await findAccount(username, installation)
      return `Every token of ${name} stops working for good, logins that were not used yet included.`
    })
    return revokeAll({ account: username, by: OPERATOR }, installation)
  })
  print(
    context,
    options,
    { username: account.username, revoked, logins_since: account.loginsSince?.toISOString() ?? null },
    `Revoked ${counted(revoked, 'session')} of ${account.username}. ` +
      'Its earlier logins open nothing, and it is signed out of every browser.',
  )
}

/** For programs: a person sees the rule in the description. */
const jobRow = ({ job }: Pick<ListedSession, 'job'>) => ({
  rule: job?.rule ?? null,
  issuer: job?.issuer ?? null,
  job: job ? JSON.stringify(job.claims) : null,
})

/** The API's record with the keys that commands have. */
const tokenRow = (record: TokenRecord) => ({
  session_id: record['session-id'],
  description: record.description,
  valid_since: record['valid-since'],
  valid_until: record['valid-until'],
  revoked_at: record['revoked-at'],
  revoked_by: record['revoked-by'],
})
