/** `ratafia publishers`: the CI rules, which give jobs tokens. */
import type { Command } from 'commander'
import { publisherRecord } from '../../ci/rules/managing/publisher-record.ts'
import { formatMatch } from '../../ci/rules/matcher.ts'
import type { KnownRule } from '../../ci/rules/rule-store.ts'
import type { Installation } from '../../installation.ts'
import { actOnEachDirectly } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, details, print, type Row, withJson, withList } from '../output.ts'
import { printRecords } from '../service/records.ts'
import { addPublisherCommand } from './publishers-add.ts'
import { testPublisherCommand } from './publishers-test.ts'

interface ListOptions extends CommonOptions {
  readonly account?: string
  readonly issuer?: string
}

const COLUMNS = [
  ...['name', 'account', 'issuer', 'kind', 'match', 'permissions', 'packages', 'channels', 'stores'],
  ...['lifetime_seconds', 'last_used', 'disabled_at', 'created_at', 'version'],
]
const SHOWN = [
  ...['name', 'account', 'issuer', 'match', 'permissions', 'packages', 'last_used', 'disabled_at'],
]

export function publisherCommands(parent: Command, context: CommandContext): void {
  const publishers = parent
    .command('publishers')
    .description('manage CI rules: which CI jobs get which tokens, without a stored secret')

  addPublisherCommand(publishers, context)

  withList(publishers.command('list'), COLUMNS)
    .description('list all rules, by name, and mark those that never matched or were unused for 90 days')
    .option('--account <username>', 'only rules of one account')
    .option('--issuer <url>', 'only rules for jobs of one issuer')
    .action(async (options: ListOptions) => {
      const records = await context.readInstallation(async (installation) => {
        const now = installation.clock()
        return (await allRules(options, installation)).map((known) => publisherRecord(known, now))
      })
      const empty = 'No CI rules yet. Create one with `ratafia publishers add`.'
      const filters = { account: options.account, issuer: options.issuer }
      printRecords(context, options, records, { columns: SHOWN, empty, filters, row: rowOf })
    })

  withJson(publishers.command('show <name>'))
    .description('show one rule, with the warnings from its creation')
    .action(async (name: string, options: CommonOptions) => {
      const { showRule } = await import('../../ci/rules/managing/find-rule.ts')
      const { record, warnings } = await context.readInstallation(async (installation) => {
        const now = installation.clock()
        const shown = await showRule(name, installation)
        return { record: publisherRecord(shown, now), warnings: shown.warnings }
      })
      const told = [details(rowOf(record)), ...warnings.map((warning) => `Warning: ${warning}`)]
      print(context, options, { ...record, warnings }, told.join('\n'))
    })

  withYes(withJson(publishers.command('disable <name...>')))
    .description('disable rules permanently, and revoke the sessions that they opened; they stay in the list')
    .action(async (names: readonly string[], options: CommonOptions) => {
      const { disableRule } = await import('../../ci/rules/managing/disable-rule.ts')
      const act = async (name: string, installation: Installation) => {
        const { authority } = installation
        const { revoked, ...ended } = await disableRule({ name, authority }, installation)
        const value = { ...publisherRecord(ended, installation.clock()), revoked }
        return { value, told: `Disabled the rule ${name}. ${revokedText(revoked)}` }
      }
      await actOnEachDirectly(names, { thing: 'rule', done: 'disabled', consequence, act }, options, context)
    })

  withYes(withJson(publishers.command('remove <name...>')))
    .description('remove rules, and revoke the sessions that they opened')
    .action(async (names: readonly string[], options: CommonOptions) => {
      const { removeRule } = await import('../../ci/rules/managing/remove-rule.ts')
      const act = async (name: string, installation: Installation) => {
        const { revoked } = await removeRule({ name, authority: installation.authority }, installation)
        const told = `Removed the rule ${name}. ${revokedText(revoked)}`
        return { value: { removed: name, revoked }, told }
      }
      await actOnEachDirectly(names, { thing: 'rule', done: 'removed', consequence, act }, options, context)
    })

  testPublisherCommand(publishers, context)
}

const consequence = (name: string): string =>
  `Jobs will get no more tokens from the rule ${name}, and tokens from it stop working immediately.`

const revokedText = (revoked: number): string => `Revoked ${counted(revoked, 'session')} that it opened.`

async function allRules(options: ListOptions, installation: Installation): Promise<readonly KnownRule[]> {
  const { listRules } = await import('../../ci/rules/managing/find-rule.ts')
  const { account, issuer } = options
  const all: KnownRule[] = []
  for (let after: string | undefined; ; ) {
    const page = await listRules({ account, issuer, after, limit: 1000 }, installation)
    all.push(...page.rows)
    if (!page.next) return all
    after = page.next.rule.name
  }
}

type PublisherRecord = ReturnType<typeof publisherRecord>

/** Returns a row that names matches and limits as the options do, and has a hint at rules to remove. */
function rowOf(record: PublisherRecord): Row {
  const { name, account, issuer, kind, lifetime_seconds, disabled_at, created_at, version } = record
  return {
    ...{ name, account, issuer, kind },
    match: formatMatch(record.match).join(' '),
    permissions: record.permissions.join(' '),
    packages: record.packages.join(' '),
    channels: record.channels?.join(' ') ?? null,
    stores: record.stores?.join(' ') ?? null,
    ...{ lifetime_seconds, last_used: lastUse(record), disabled_at, created_at, version },
  }
}

function lastUse({ last_used_at: at, disuse }: PublisherRecord): string | null {
  if (disuse === 'never-matched') return 'never matched'
  return disuse === null ? at : `${at} (unused for 90 days)`
}
