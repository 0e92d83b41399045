/** `ratafia publishers add`. */
import type { Command } from 'commander'
import type { ProjectIds } from '../../ci/rules/making/project-ids.ts'
import type { Installation } from '../../installation.ts'
import { confirm, withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { packageReference, readDuration, several } from '../option-values.ts'
import { note, print, withJson } from '../output.ts'
import { harmless } from '../terminal/harmless.ts'
import type { LimitOptions } from '../tokens/limit-options.ts'

interface AddOptions extends CommonOptions, LimitOptions {
  readonly issuer: string
  readonly account: string
  readonly match?: readonly string[]
  readonly fromUrl?: string
  readonly lifetime?: string
  readonly allowRegister?: boolean
}

const LIMITS = `
A rule matches at most 32 claims, each with a string of up to 1024 characters or up
to 64 alternatives; the ids can have 784 characters in all. It has at most 256
permissions, packages, channels or stores. A project has at most 100 rules.`

export function addPublisherCommand(publishers: Command, context: CommandContext): void {
  withYes(withJson(publishers.command('add <name>')))
    .description('add a rule: jobs of the issuer whose ID tokens match it get tokens of the account')
    .requiredOption('--issuer <url>', 'the issuer of the ID tokens, as `ratafia issuers list` shows it')
    .requiredOption('--account <username>', 'the account whose tokens the jobs get')
    .option(
      '--match <claim=value>',
      'the required value of a claim: claim=text, or claim:=JSON for true, 7, {"glob":"refs/tags/v*"}, {"any_of":["a","b"]}; repeat for more claims, which must all match',
      several,
    )
    .option(
      '--from-url <url>',
      'look up the ids of a project on GitHub, GitLab or Forgejo once, by its address, and match them',
    )
    .option('--permission <name>', 'a permission of the tokens; at least one; repeatable', several)
    .option(
      '--package <name>',
      'a package of the tokens (a name or a snap id); at least one; repeatable',
      several,
    )
    .option('--channel <pattern>', 'limit the tokens to this channel; repeatable', several)
    .option('--store <id>', 'limit the tokens to this store; repeatable', several)
    .option('--lifetime <seconds>', 'the lifetime of the tokens, such as 900 or 15m (default: 900)')
    .option('--allow-register', 'allow the rule to grant the permission package_register')
    .addHelpText('after', LIMITS)
    .action((name: string, options: AddOptions) => add(name, options, context))
}

async function add(name: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { publisherRecord } = await import('../../ci/rules/managing/publisher-record.ts')
  const { addRule } = await import('../../ci/rules/making/add-rule.ts')
  const match = readMatchOptions(options.match ?? [])
  const lifetime = options.lifetime === undefined ? undefined : readDuration('--lifetime', options.lifetime)
  const { now, added } = await context.withInstallation(async (installation) => {
    const ids = await confirmedIds(options, context, installation)
    const wanted = {
      maker: { authority: installation.authority },
      ...{ name, issuer: options.issuer, account: options.account, lifetime },
      match: withIds(match, ids),
      packages: (options.package ?? []).map(packageReference),
      grants: {
        permissions: options.permission,
        channels: options.channel,
        storeIds: options.store,
        allowRegister: options.allowRegister,
      },
    }
    const { jobMaxLifetime } = installation.config
    return { now: installation.clock(), added: await addRule(wanted, { ...installation, jobMaxLifetime }) }
  })
  if (!options.json)
    for (const warning of added.warnings) note(context.streams, harmless(`ratafia: warning: ${warning}`))
  print(
    context,
    options,
    { ...publisherRecord(added, now), warnings: added.warnings },
    `Jobs that match the rule ${name} get tokens of ${added.account.username} that expire after ${added.rule.lifetime / 1000} seconds.`,
  )
}

/** Looks up the ids. A user at a terminal confirms them; a script gets them as a note. */
async function confirmedIds(
  { fromUrl, issuer, ...options }: AddOptions,
  context: CommandContext,
  installation: Installation,
): Promise<ProjectIds['ids']> {
  if (fromUrl === undefined) return {}
  const { lookUpIds } = await import('../../ci/rules/making/project-ids.ts')
  const { findIssuer } = await import('../../ci/issuers/find.ts')
  const { project, ids } = await lookUpIds(
    fromUrl,
    (await findIssuer(issuer, installation)).issuer,
    installation.fetchDocument,
  )
  const matched = Object.entries(ids).map(([claim, id]) => `${claim}=${id}`)
  const told = harmless(`${project} has the ids ${matched.join(' ')}. The rule matches them.`)
  await confirm(context, options, told)
  if (!options.json && (options.yes || !context.streams.stdin.isTTY)) note(context.streams, told)
  return ids
}

/** Adds the ids to the claims. Throws {@link UsageError} for a claim that `--match` gives a different value. */
function withIds(match: Readonly<Record<string, unknown>>, ids: ProjectIds['ids']) {
  for (const [claim, id] of Object.entries(ids)) {
    if (Object.hasOwn(match, claim) && match[claim] !== id) {
      throw new UsageError(
        `--match gives ${claim} a different value than the project of --from-url. Leave out one of the two.`,
      )
    }
  }
  return { ...match, ...ids }
}

/**
 * Parses `claim=text`, or `claim:=JSON` for `true`, `7`, `{"glob": "…"}`, `{"fold": "…"}` and
 * `{"any_of": […]}`. Throws {@link UsageError}.
 */
export function readMatchOptions(given: readonly string[]): Readonly<Record<string, unknown>> {
  const match = new Map<string, unknown>()
  for (const text of given) {
    const [, claim = '', json, value = ''] = /^([^=]*?)(:?)=([\s\S]*)$/.exec(text) ?? []
    if (claim === '') {
      throw new UsageError(`--match ${shown(text)} is neither claim=text nor claim:=JSON.`)
    }
    if (match.has(claim)) {
      throw new UsageError(
        `--match names ${shown(claim)} twice. To accept either of two strings, give :={"any_of":["one","two"]}.`,
      )
    }
    match.set(claim, json === ':' ? parsed(value, text) : value)
  }
  return Object.fromEntries(match)
}

function parsed(json: string, text: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError(`--match ${shown(text)}: the value after := is not JSON.`)
  }
}

const shown = (text: string): string => harmless(text.length > 80 ? `${text.slice(0, 80)}…` : text)
