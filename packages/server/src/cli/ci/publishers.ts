/** `ratafia publishers`: the CI rules, which give jobs tokens. */
import type { Command } from 'commander'
import type { KnownRule } from '../../ci/rules/rule-store.ts'
import type { Installation } from '../../installation.ts'
import { actOnEachDirectly } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, details, print, printList, withJson, withList } from '../output.ts'
import { PUBLISHER_COLUMNS } from './publisher-columns.ts'
import { addPublisherCommand } from './publishers-add.ts'
import { testPublisherCommand } from './publishers-test.ts'

interface ListOptions extends CommonOptions {
  readonly account?: string
  readonly issuer?: string
}

export function publisherCommands(parent: Command, context: CommandContext): void {
  const publishers = parent
    .command('publishers')
    .description('manage CI rules: which CI jobs get which tokens, without a stored secret')

  addPublisherCommand(publishers, context)

  withList(publishers.command('list'), PUBLISHER_COLUMNS)
    .description('list all rules, by name, and mark those that never matched or were unused for 90 days')
    .option('--account <username>', 'only rules of one account')
    .option('--issuer <url>', 'only rules for jobs of one issuer')
    .action(async (options: ListOptions) => {
      const { publisherRecord } = await import('../../ci/rules/managing/publisher-record.ts')
      const { publisherRow } = await import('./publisher-row.ts')
      const { now, rules } = await context.readInstallation(async (installation) => ({
        now: installation.clock(),
        rules: await allRules(options, installation),
      }))
      if (options.json) {
        const described = rules.map((known) => publisherRecord(known, now))
        return print(context, options, described, '')
      }
      printList(
        context,
        options,
        rules.map((known) => publisherRow(known, now)),
        {
          columns: [
            'name',
            'account',
            'issuer',
            'match',
            'permissions',
            'packages',
            'last_used',
            'disabled_at',
          ],
          empty: 'No CI rules yet. Create one with `ratafia publishers add`.',
        },
      )
    })

  withJson(publishers.command('show <name>'))
    .description('show one rule, with the warnings from its creation')
    .action(async (name: string, options: CommonOptions) => {
      const { publisherRecord } = await import('../../ci/rules/managing/publisher-record.ts')
      const { publisherRow } = await import('./publisher-row.ts')
      const { showRule } = await import('../../ci/rules/managing/find-rule.ts')
      const { now, shown } = await context.readInstallation(async (installation) => ({
        now: installation.clock(),
        shown: await showRule(name, installation),
      }))
      const told = [
        details(publisherRow(shown, now)),
        ...shown.warnings.map((warning) => `Warning: ${warning}`),
      ]
      const value = { ...publisherRecord(shown, now), warnings: shown.warnings }
      print(context, options, value, told.join('\n'))
    })

  withYes(withJson(publishers.command('disable <name...>')))
    .description('disable rules permanently, and revoke the sessions that they opened; they stay in the list')
    .action(async (names: readonly string[], options: CommonOptions) => {
      const { publisherRecord } = await import('../../ci/rules/managing/publisher-record.ts')
      const { disableRule } = await import('../../ci/rules/managing/disable-rule.ts')
      const act = async (name: string, installation: Installation) => {
        const ended = await disableRule({ name, authority: installation.authority }, installation)
        const value = { ...publisherRecord(ended, installation.clock()), revoked: ended.revoked }
        return { value, told: `Disabled the rule ${name}. ${revokedText(ended.revoked)}` }
      }
      await actOnEachDirectly(names, { thing: 'rule', done: 'disabled', consequence, act }, options, context)
    })

  withYes(withJson(publishers.command('remove <name...>')))
    .description('remove rules, and revoke the sessions that they opened')
    .action(async (names: readonly string[], options: CommonOptions) => {
      const { removeRule } = await import('../../ci/rules/managing/remove-rule.ts')
      const act = async (name: string, installation: Installation) => {
        const { revoked } = await removeRule({ name, authority: installation.authority }, installation)
        return {
          value: { removed: name, revoked },
          told: `Removed the rule ${name}. ${revokedText(revoked)}`,
        }
      }
      await actOnEachDirectly(names, { thing: 'rule', done: 'removed', consequence, act }, options, context)
    })

  testPublisherCommand(publishers, context)
}

const consequence = (name: string): string =>
  `Jobs will get no more tokens from the rule ${name}, and tokens from it stop working immediately.`

const revokedText = (revoked: number): string => `Revoked ${counted(revoked, 'session')} that it opened.`

async function allRules(options: ListOptions, installation: Installation): Promise<readonly KnownRule[]> {
  const { listRules } = await import('../../ci/rules/managing/list-rules.ts')
  const { account, issuer } = options
  const all: KnownRule[] = []
  for (let after: string | undefined; ; ) {
    const page = await listRules({ account, issuer, after, limit: 1000 }, installation)
    all.push(...page.rows)
    if (!page.next) return all
    after = page.next.rule.name
  }
}
