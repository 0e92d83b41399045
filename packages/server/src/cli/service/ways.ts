/** The modes of a command: over HTTP with a service, or directly on the database (contract/administration.md, D2). */
import type { Command } from 'commander'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import type { Service } from './service.ts'

/**
 * - `both`: over HTTP if there is an address, else on the database
 * - `http`: only over HTTP
 * - `none`: neither, or as its own options specify
 * - `direct`: only on the database (A22). Default
 */
export type Ways = 'both' | 'http' | 'none' | 'direct'

interface Marked {
  readonly ways: Ways
  /** The operations of the management API that the command uses. */
  readonly operations: readonly string[]
}

const MARKED = new WeakMap<Command, Marked>()

/** Marks a command with its modes, and adds their options. With `urlIsTaken`, only RATAFIA_URL names the service. */
export function goes(
  command: Command,
  ways: Exclude<Ways, 'direct'>,
  operations: readonly string[] = [],
  { urlIsTaken = false }: { readonly urlIsTaken?: boolean } = {},
): Command {
  MARKED.set(command, { ways, operations })
  if (ways === 'none') return command
  const withUrl = urlIsTaken ? command : command.option('--url <url>', ways === 'http' ? URL_HELP : NAMED)
  return ways === 'both'
    ? withUrl.option('--direct', 'work on the database, even if RATAFIA_URL is set')
    : withUrl
}

const NAMED = 'administer the service at this address (default: RATAFIA_URL)'
/** The help for `--url` of a command that uses `CommandContext.findService`. */
export const URL_HELP =
  'address of the service (default: RATAFIA_URL, the last login, or the service configured on this host)'

export const waysOf = (command: Command): Marked => MARKED.get(command) ?? { ways: 'direct', operations: [] }

/** Adds `--direct` to every command that works only on the database. Call it after adding all commands. */
export function completeWays(command: Command): void {
  for (const child of command.commands) completeWays(child)
  if (command.commands.length > 0 || waysOf(command).ways !== 'direct' || STARTS.has(command.name())) return
  command.option('--direct', 'work on the database, even if RATAFIA_URL is set')
}

/** Commands that ignore RATAFIA_URL and use the service's own settings. */
const STARTS: ReadonlySet<string> = new Set(['serve', 'help', 'check'])

/** Refuses a database-only command while RATAFIA_URL is set and `--direct` is missing. Throws {@link UsageError}. */
export function refuseWrongWay(command: Command, context: Pick<CommandContext, 'service'>): void {
  if (waysOf(command).ways !== 'direct' || STARTS.has(command.name())) return
  if (command.opts<CommonOptions>().direct || context.service.url() === undefined) return
  throw new UsageError(
    'This command works only on the database, but RATAFIA_URL names a service. Pass --direct to use the database of RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL.',
  )
}

/** `read`: changes nothing, and creates no keys. `begin`: the command may be the first of an installation. */
export type Access = 'read' | 'change' | 'begin'

/** Calls `work` with the service that the options name, or with the operations on the database in this process. */
export async function withService<Answer>(
  context: CommandContext,
  options: CommonOptions,
  access: Access,
  work: (service: Service) => Promise<Answer>,
): Promise<Answer> {
  const url = addressIn(options, context)
  if (url !== undefined) return work(await openedAt(url, context))
  const { beginInstallation, readInstallation, withInstallation } = context
  const open = { begin: beginInstallation, read: readInstallation, change: withInstallation }[access]
  return open((installation) => work(context.serviceOn(installation)))
}

/** Opens the service for a command that works only over HTTP. Throws as {@link addressOf} does. */
export const serviceOverHttp = async (options: CommonOptions, context: CommandContext): Promise<Service> =>
  openedAt(await addressOf(options, context), context)

async function openedAt(url: string, context: CommandContext): Promise<Service> {
  const { openService } = await import('./open-service.ts')
  return openService(url, context)
}

/** Throws {@link UsageError} if the command works over HTTP, for features that only the database has so far. */
export function requireDirect(options: CommonOptions, context: CommandContext, what: string): void {
  if (isDirect(options, context)) return
  throw new UsageError(`${what} works only on the database. Run it with --direct on the database's host.`)
}

/** Returns whether the command works on the database. Throws {@link UsageError}. */
export const isDirect = (options: CommonOptions, context: CommandContext): boolean =>
  addressIn(options, context) === undefined

/** Throws {@link UsageError} if the command works on the database, for features that need a logged-in account. */
export function requireService(options: CommonOptions, context: CommandContext, what: string): void {
  if (!isDirect(options, context)) return
  throw new UsageError(`${what} requires a service: on the database, no account is logged in. Pass --url.`)
}

/** Returns the address for a command that works only over HTTP. Throws as `CommandContext.findService` does. */
export const addressOf = async ({ url }: CommonOptions, context: CommandContext): Promise<string> =>
  (await context.findService(url)).url

/** Returns the address, or undefined for the database. Throws {@link UsageError}. */
function addressIn(options: CommonOptions, context: CommandContext): string | undefined {
  if (options.direct && options.url !== undefined) {
    throw new UsageError('Pass either --url or --direct, not both.')
  }
  if (options.direct) return undefined
  return options.url === undefined ? context.service.url() : context.readServiceUrl(options.url)
}
