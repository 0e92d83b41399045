/**
 * Which way a command goes: over HTTP to a service, or directly to the database (contract/administration.md, D2).
 */
import type { Command } from 'commander'
import { type CommandContext, UsageError } from '../context.ts'
import type { Service } from './service.ts'

export interface WayOptions {
  readonly url?: string
  readonly direct?: boolean
}

/**
 * - `both`: over HTTP if there is an address, else on the database
 * - `http`: only over HTTP; `none`: on neither, or on what its own options say
 * - `direct`: only on the database (A22). Default
 */
export type Ways = 'both' | 'http' | 'none' | 'direct'

interface Marked {
  readonly ways: Ways
  /** The operations of the management API that the command uses. */
  readonly operations: readonly string[]
}

const MARKED = new WeakMap<Command, Marked>()

/**
 * Marks a command, and gives it the options that go with it. `urlIsTaken`: its `--url` means something else, and
 * RATAFIA_URL alone says which service it goes to.
 */
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
    ? withUrl.option('--direct', 'work on the database, whatever RATAFIA_URL says')
    : withUrl
}

const NAMED = 'administer the service at this address (default: RATAFIA_URL)'
/** What `--url` means to a command that finds its service, as `CommandContext.findService` does. */
export const URL_HELP =
  'address of the service (default: RATAFIA_URL, the last login, or the service that this host is set up for)'

export const waysOf = (command: Command): Marked => MARKED.get(command) ?? { ways: 'direct', operations: [] }

/** Gives every command that works on the database alone its `--direct`. Call it once all are there. */
export function completeWays(command: Command): void {
  for (const child of command.commands) completeWays(child)
  if (command.commands.length > 0 || waysOf(command).ways !== 'direct' || STARTS.has(command.name())) return
  command.option('--direct', 'work on the database although RATAFIA_URL is set')
}

/** They work on what the environment of the service says, whatever it has for commands. */
const STARTS: ReadonlySet<string> = new Set(['serve', 'help', 'check'])

/** Before a command runs. Throws {@link UsageError} for one that an address would be for, and that knows none. */
export function refuseWrongWay(command: Command, context: Pick<CommandContext, 'service'>): void {
  if (waysOf(command).ways !== 'direct' || STARTS.has(command.name())) return
  if (command.opts<WayOptions>().direct || context.service.url() === undefined) return
  throw new UsageError(
    `This command works on the database, and RATAFIA_URL names a service. Give --direct if you mean the database of RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL.`,
  )
}

/**
 * What the command answers: `work` asks the service that it goes to, or the operations on the database in this process.
 * `read`: it changes nothing, and makes no keys. `begin`: it may be the first of an installation.
 */
export async function withService<Answer>(
  context: CommandContext,
  options: WayOptions,
  access: 'read' | 'change' | 'begin',
  work: (service: Service) => Promise<Answer>,
): Promise<Answer> {
  const service = await serviceOf(options, context)
  if (service) return work(service)
  return openFor(access, context)((installation) => work(context.serviceOn(installation)))
}

const openFor = (
  access: 'read' | 'change' | 'begin',
  { beginInstallation, readInstallation, withInstallation }: CommandContext,
): CommandContext['withInstallation'] =>
  ({ begin: beginInstallation, read: readInstallation, change: withInstallation })[access]

/** The service that the command goes to; undefined if it works on the database. Throws {@link UsageError}. */
async function serviceOf(options: WayOptions, context: CommandContext): Promise<Service | undefined> {
  const url = addressIn(options, context)
  if (url === undefined) return undefined
  const { openService } = await import('./open-service.ts')
  return openService(url, context)
}

/** For what only the database can do yet. Throws {@link UsageError} if the command goes over HTTP. */
export function requireDirect(options: WayOptions, context: CommandContext, what: string): void {
  if (isDirect(options, context)) return
  throw new UsageError(`${what} works on the database alone: give --direct where the database is.`)
}

/** Whether the command works on the database. Throws {@link UsageError}. */
export const isDirect = (options: WayOptions, context: CommandContext): boolean =>
  addressIn(options, context) === undefined

/** For what is about the account that is logged in. Throws {@link UsageError} if the command works on the database. */
export function requireService(options: WayOptions, context: CommandContext, what: string): void {
  if (!isDirect(options, context)) return
  throw new UsageError(`${what} is for a service: on the database nobody is logged in.`)
}

/** Of a command that asks a service alone. Throws as `CommandContext.findService` does. */
export const addressOf = async ({ url }: WayOptions, context: CommandContext): Promise<string> =>
  (await context.findService(url)).url

/** Undefined: on the database. Throws {@link UsageError}. */
function addressIn(options: WayOptions, context: CommandContext): string | undefined {
  if (options.direct && options.url !== undefined) {
    throw new UsageError('Give either --url or --direct.')
  }
  if (options.direct) return undefined
  return options.url === undefined ? context.service.url() : context.readServiceUrl(options.url)
}
