/** `ratafia tokens`: the sessions of tokens. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { confirmTyped, withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { readAgo, several } from '../option-values.ts'
import { counted, print, withJson, withList } from '../output.ts'
import { listRecords } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, requireDirect, requireService, serviceOverHttp } from '../service/ways.ts'
import { developerTokenCommands } from '../tokens/developer-commands.ts'

interface RevokeOptions extends CommonOptions {
  readonly mine?: boolean
  readonly account?: string
  readonly all?: boolean
  readonly allBut?: readonly string[]
}

interface ListOptions extends CommonOptions {
  readonly mine?: boolean
  readonly account?: string
  readonly includeInactive?: boolean
  readonly unusedSince?: string
}

const COLUMNS = [
  ...['session_id', 'username', 'kind', 'description', 'signed_in', 'opened_from', 'valid_since'],
  ...['valid_until', 'limits', 'manage'],
  ...['revoked_at', 'revoked_by', 'rule', 'issuer', 'job', 'last_used_at', 'last_used_from'],
]
const SHOWN = [
  ...['session_id', 'username', 'kind', 'valid_since', 'valid_until', 'last_used_at', 'last_used_from'],
  ...['revoked_at', 'revoked_by', 'description'],
]

export function tokenCommands(parent: Command, context: CommandContext): void {
  const tokens = parent
    .command('tokens')
    .description('create and narrow tokens, and list and revoke their sessions')

  developerTokenCommands(tokens, context)

  goes(withList(tokens.command('list'), COLUMNS), 'both', ['tokens', 'myTokens'])
    .description('list the active sessions')
    .option('--account <username>', 'only sessions of one account')
    .option('--mine', 'only your own sessions (over HTTP)')
    .option('--include-inactive', 'include revoked and expired sessions')
    .option(
      '--unused-since <time>',
      'only sessions opened before a time and not used since: 2027-01-31T00:00:00Z, or 90d for 90 days ago',
    )
    .action((options: ListOptions) => list(options, context))

  goes(withYes(withJson(tokens.command('revoke [session-id...]'))), 'both', [
    ...['revokeToken', 'revokeMyToken', 'revokeMyTokens'],
  ])
    .description('revoke sessions, or all of an account; every node refuses their tokens within a second')
    .option('--account <username>', 'with --all: the account')
    .option('--mine', 'your own sessions (over HTTP): those you name, or with --all all of them')
    .option('--all-but <session-id>', 'with --mine --all: keep this session; repeatable', several)
    .option(
      '--all',
      'revoke all sessions of the account, revoke its unused logins, and sign it out of every browser; scripts must also pass --yes',
    )
    .action((sessionIds: readonly string[], options: RevokeOptions) => revoke(sessionIds, options, context))
}

/** More than any user reads. */
const LIST_LIMIT = 10_000

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { account, mine = false, includeInactive = false } = options
  if (mine) requireService(options, context, '--mine')
  await listRecords(context, options, {
    ...{ operation: mine ? api.myTokens : api.tokens, name: 'tokens', most: LIST_LIMIT },
    asking: (service) => {
      const unused = readAgo('--unused-since', options.unusedSince, service.clock())
      const state = includeInactive ? 'all' : 'active'
      return { query: { state, unused_since: unused?.toISOString(), ...(mine ? {} : { account }) } }
    },
    ...{ columns: SHOWN, empty: includeInactive ? 'No sessions yet.' : 'No active sessions.' },
    filters: { account, unusedSince: options.unusedSince },
    more: `Only the newest ${LIST_LIMIT} are shown. Pass --account to see the sessions of one account.`,
  })
}

async function revoke(sessionIds: readonly string[], options: RevokeOptions, context: CommandContext) {
  const { mine, all, account } = options
  if (mine && all && sessionIds.length === 0) {
    if (account === undefined && !options.direct) return revokeMine(options, context)
    throw new UsageError('--mine works over HTTP, for your own account. Leave out --account and --direct.')
  }
  if (options.allBut) throw new UsageError('--all-but works only with --mine --all.')
  if (all || account !== undefined) {
    requireDirect(options, context, 'Revoking all sessions of an account')
    return revokeAllOf(sessionIds, options, context)
  }
  if (sessionIds.length === 0) {
    throw new UsageError('Pass the id of a session, or --account USERNAME --all.')
  }
  if (mine) requireService(options, context, '--mine')
  const act = async (id: string, service: Service) => {
    const value = await service.recordOf(mine ? api.revokeMyToken : api.revokeToken, { id })
    return {
      value,
      told: `The session ${id} was revoked at ${value['revoked_at']} by ${value['revoked_by']}.`,
    }
  }
  const consequence = (id: string) => `The tokens of the session ${id} permanently stop working.`
  await actOnEach(sessionIds, { thing: 'session', done: 'revoked', consequence, act }, options, context)
}

/** Revokes all of the user's own sessions, or all except some. */
async function revokeMine({ allBut = [], ...options }: RevokeOptions, context: CommandContext) {
  const service = await serviceOverHttp(options, context)
  await confirmTyped(context, options, async () => ({
    told:
      allBut.length === 0
        ? 'This permanently revokes all your tokens, including this login and logins that are not used yet.'
        : `This permanently revokes all your tokens, except those of ${counted(allBut.length, 'session')}.`,
    type: String((await service.recordOf(api.me))['username']),
  }))
  // The service may require a recent sign-in. The dry run triggers it, and the new login continues.
  await service.call(api.revokeMyTokens, { query: { dry_run: true }, body: { all_but: allBut } })
  const { username, session_id } = await service.recordOf(api.me)
  const own = String(session_id)
  let revoked = 0
  const revokeBut = async (kept: readonly string[]): Promise<boolean> => {
    const record = await service.recordOf(api.revokeMyTokens, { body: { all_but: kept } })
    revoked += Number(record['revoked'])
    return record['more'] === true
  }
  // The command's own session comes last, because it revokes the others.
  while (await revokeBut([...allBut, own]));
  if (!allBut.includes(own)) await revokeBut(allBut)
  print(context, options, { username, revoked }, `Revoked ${counted(revoked, 'session')}.`)
}

async function revokeAllOf(sessionIds: readonly string[], options: RevokeOptions, context: CommandContext) {
  const { account: username, all } = options
  if (sessionIds.length > 0 || username === undefined || !all) {
    throw new UsageError('Pass either the id of a session, or --account USERNAME --all.')
  }
  const { revokeAll } = await import('../../accounts/ended-logins/revoke-all.ts')
  const { findAccount } = await import('../../accounts/find.ts')
  const { account, revoked } = await context.withInstallation(async (installation) => {
    await confirmTyped(context, options, async () => {
      const { username: name } = await findAccount(username, installation)
      const told = `This permanently revokes all tokens of ${name}, including logins that are not used yet.`
      return { told, type: name }
    })
    return revokeAll({ account: username, authority: installation.authority }, installation)
  })
  print(
    context,
    options,
    { username: account.username, revoked, logins_since: account.loginsSince?.toISOString() ?? null },
    `Revoked ${counted(revoked, 'session')} of ${account.username}. ` +
      'Its earlier logins no longer work, and it is signed out of every browser.',
  )
}
