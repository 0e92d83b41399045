/** `ratafia issuers`: the CI systems whose jobs can get tokens (contract/oidc.md, "Commands and pipelines"). */
import { type Command, Option } from 'commander'
import type { AddedIssuer } from '../../ci/issuers/add.ts'
import type { ShownIssuer } from '../../ci/issuers/find.ts'
import type { FoundIssuer } from '../../ci/issuers/issuer.ts'
import { KIND_NAMES, KINDS } from '../../ci/issuers/kinds.ts'
import { parseDuration } from '../../config/values.ts'
import type { Installation } from '../../installation.ts'
import { actOnEachDirectly } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, type ToStreams, UsageError } from '../context.ts'
import { readGiven, textOfFile } from '../files.ts'
import { several } from '../option-values.ts'
import { counted, details, note, print, printList, type Row, withJson, withList } from '../output.ts'

interface AddOptions extends CommonOptions {
  readonly kind: string
  readonly audience?: string
  readonly otherAudience?: readonly string[]
  readonly privateAddress?: readonly string[]
  readonly jwks?: string
  readonly stableClaims?: string
  readonly maxLife?: string
  readonly namesCanBeReused?: 'accepted'
}

export function issuerCommands(parent: Command, context: CommandContext): void {
  const issuers = parent
    .command('issuers')
    .description('manage issuers of ID tokens: CI systems whose jobs can get tokens without a stored secret')

  withJson(issuers.command('add <url>'))
    .description('add an issuer by the URL in the "iss" claim of its ID tokens, and fetch its keys')
    .requiredOption('--kind <kind>', `the CI system: ${KIND_NAMES.join(', ')}`)
    .option('--audience <text>', "the audience of its ID tokens, if it can't be this service's own")
    .option('--other-audience <text>', 'an audience that its ID tokens can also name; repeatable', several)
    .option('--private-address <cidr>', 'a private network that the issuer may be in; repeatable', several)
    .option('--jwks <file>', 'its keys as a JSON Web Key Set, for an issuer that the service cannot reach')
    .option(
      '--stable-claims <names>',
      'for the kind generic: claims that identify a job permanently, such as a,b',
    )
    .option('--max-life <duration>', 'the longest lifetime of its ID tokens, 24h to 7d (default: 24h)')
    .addOption(
      new Option(
        '--names-can-be-reused <accepted>',
        'let rules match names only, although another user may get a name later',
      ).choices(['accepted']),
    )
    .action((url: string, options: AddOptions) => add(url, options, context))

  withList(issuers.command('list'), COLUMNS)
    .description('list all issuers, by URL')
    .action(async (options: CommonOptions) => {
      const { listIssuers } = await import('../../ci/issuers/find.ts')
      const rows = await context.readInstallation(async (installation) =>
        (await listIssuers(installation)).map(issuerRow),
      )
      printList(context, options, rows, {
        columns: ['url', 'kind', 'keys', 'keys_from', 'failure'],
        empty: 'No issuers yet. Run `ratafia issuers add URL --kind KIND`.',
      })
    })

  withJson(issuers.command('show <url>'))
    .description('show one issuer with its keys and its rules, by URL or id')
    .action(async (url: string, options: CommonOptions) => {
      const { showIssuer } = await import('../../ci/issuers/find.ts')
      const found = await context.readInstallation((installation) => showIssuer(url, installation))
      print(context, options, shownIssuer(found), details(rowOfShown(found)))
    })

  withJson(issuers.command('refresh <url>'))
    .description('fetch the keys of an issuer now; the service does this every hour')
    .option('--jwks <file>', 'the new keys of an issuer that was added with --jwks')
    .action(async (url: string, options: CommonOptions & { readonly jwks?: string }) => {
      const { refreshIssuer } = await import('../../ci/issuers/refresh.ts')
      const jwks = await readKeys(options.jwks, context)
      const { changed, ...found } = await context.withInstallation((installation) =>
        refreshIssuer({ issuer: url, jwks, authority: installation.authority }, installation),
      )
      const keys = counted(found.imported.keys.length, 'key')
      const told = `The issuer ${found.issuer.url} has ${keys}, ${changed ? 'which changed' : 'unchanged'}.`
      print(context, options, { ...shownIssuer(found), changed }, told)
    })

  withYes(withJson(issuers.command('remove <url...>')))
    .description('remove issuers with their rules, and revoke the sessions that the rules opened')
    .action(async (urls: readonly string[], options: CommonOptions) => {
      const { removeIssuer } = await import('../../ci/issuers/remove.ts')
      const act = async (url: string, installation: Installation) => {
        const removed = await removeIssuer({ issuer: url, authority: installation.authority }, installation)
        const rules = removed.rules.map(({ name }) => name)
        const told = `Removed the issuer ${removed.issuer.url} with ${counted(rules.length, 'rule')}, and revoked ${counted(removed.revoked, 'session')}.`
        return { value: { removed: removed.issuer.url, rules, revoked: removed.revoked }, told }
      }
      const removing = { thing: 'issuer', done: 'removed', consequence: whatRemovingEnds, act }
      await actOnEachDirectly(urls, removing, options, context)
    })
}

async function whatRemovingEnds(url: string, installation: Installation): Promise<string> {
  const { showIssuer } = await import('../../ci/issuers/find.ts')
  const { issuer, rules } = await showIssuer(url, installation)
  if (rules.length === 0) return `Jobs of ${issuer.url} will get no more tokens. It has no rules.`
  const names = rules.map(({ name }) => name).join(', ')
  return `Jobs of ${issuer.url} will get no more tokens. This removes its ${counted(rules.length, 'rule')} (${names}) and revokes the sessions that they opened. It cannot be undone.`
}

async function add(url: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { addIssuer } = await import('../../ci/issuers/add.ts')
  const wanted = {
    ...{ url, kind: options.kind, audience: options.audience, otherAudiences: options.otherAudience },
    privateAddresses: options.privateAddress,
    jwks: await readKeys(options.jwks, context),
    stableClaims: options.stableClaims?.split(',').map((name) => name.trim()),
    longestLife: options.maxLife === undefined ? undefined : readLife(options.maxLife),
    namesCanBeReused: options.namesCanBeReused === 'accepted',
  }
  const { added, audience } = await context.withInstallation(async (installation) => ({
    added: await addIssuer({ ...wanted, authority: installation.authority }, installation),
    audience: options.audience ?? installation.config.baseUrl,
  }))
  const { issuer, keys, jwksUri = null, warnings } = added
  const { createdAt: at } = issuer
  const shown = shownIssuer({
    issuer,
    imported: keys,
    rules: [],
    keys: {
      ...{ revision: keys.revision, fetchedAt: at, triedAt: at, failure: undefined },
      pinnedAt: jwksUri === null ? at : undefined,
    },
  })
  print(context, options, { ...shown, jwks_uri: jwksUri, warnings }, toldOf(added, audience, options))
  if (!options.json) for (const warning of warnings) note(context.streams, `ratafia: warning: ${warning}`)
}

const PINNED = 'Its keys do not change until you replace them with `ratafia issuers refresh URL --jwks FILE`.'

function toldOf(
  { issuer, keys, jwksUri }: AddedIssuer,
  audience: string | undefined,
  { jwks = '' }: AddOptions,
): string {
  const found = `${counted(keys.keys.length, 'key')} from ${jwksUri ?? jwks}`
  return [
    `Added the issuer ${issuer.url}: ${KINDS[issuer.kind].title}, ${found}, ${keys.algorithms.join(' ')}.`,
    ...(jwksUri === undefined ? [PINNED] : []),
    ...(audience === undefined ? [] : [`Its jobs must request ID tokens for the audience ${audience}.`]),
    'Jobs cannot get tokens until a rule allows it: `ratafia publishers add NAME --issuer URL …`.',
  ].join('\n')
}

async function readKeys(file: string | undefined, { streams }: ToStreams): Promise<string | undefined> {
  return file === undefined ? undefined : textOfFile(await readGiven(file, streams))
}

/** Throws {@link UsageError}. */
function readLife(text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new UsageError(`--max-life ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The columns of an issuer in lists. */
const COLUMNS = [
  ...['url', 'kind', 'audience', 'keys', 'keys_from', 'tried_at', 'failure', 'id', 'created_at'],
]

const issuerRow = ({ issuer, keys }: FoundIssuer) => ({
  url: issuer.url,
  kind: issuer.kind,
  audience: issuer.settings.audience,
  keys: keys.pinnedAt ? 'pinned' : 'fetched',
  keys_from: (keys.pinnedAt ?? keys.fetchedAt).toISOString(),
  tried_at: keys.pinnedAt ? null : keys.triedAt.toISOString(),
  failure: keys.failure ?? null,
  id: issuer.id,
  created_at: issuer.createdAt.toISOString(),
})

/** Returns an issuer for JSON, with lists as arrays. */
function shownIssuer(found: ShownIssuer) {
  const { settings } = found.issuer
  return {
    ...issuerRow(found),
    other_audiences: settings.otherAudiences,
    private_addresses: settings.privateAddresses,
    stable_claims: settings.stableClaims ?? KINDS[found.issuer.kind].stableIds,
    names_can_be_reused: settings.namesCanBeReused,
    max_life_seconds: settings.longestLife / 1000,
    algorithms: found.imported.algorithms,
    key_ids: found.imported.keys.map(({ kid }) => kid ?? null),
    keys_left_out: Object.entries(found.imported.leftOut).map(([reason, count]) => `${count} ${reason}`),
    rules: found.rules.map(({ name }) => name),
  }
}

/** Returns an issuer for people, with lists as text. */
const rowOfShown = (found: ShownIssuer): Row =>
  Object.fromEntries(
    Object.entries(shownIssuer(found)).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object'
        ? value.map((one) => one ?? 'without a name').join(', ')
        : value,
    ]),
  )
