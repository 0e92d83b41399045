/** `ratafia counters`: prints the counts of events. */
import { COUNTER_NAMES, COUNTER_PERIODS, type CounterName, type CounterPeriod } from '@ratafia/api/counters'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { isObject, type JsonObject, objectsIn } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { type Row, tableOf, withJson } from '../output.ts'
import { printRecord } from '../service/records.ts'
import { goes } from '../service/ways.ts'
import { harmless } from '../terminal/harmless.ts'

interface CountersOptions extends CommonOptions {
  readonly name?: CounterName
  readonly period: CounterPeriod
  readonly brand?: string
}

export function countersCommand(parent: Command, context: CommandContext): void {
  goes(withJson(parent.command('counters')), 'both', ['counters'])
    .description('show how many times events happened: logins, registrations, session checks and others')
    .addOption(
      new Option(
        '--name <name>',
        'only this counter; store-questions counts the session checks by the store',
      ).choices(COUNTER_NAMES),
    )
    .addOption(
      new Option('--period <period>', 'a day by the hour, a month by the day, or a year by the month')
        .choices(COUNTER_PERIODS)
        .default('24h'),
    )
    .option('--brand <account-id>', 'only events of one brand')
    .action(({ name, period, brand, ...options }: CountersOptions) =>
      printRecord(
        context,
        options,
        'read',
        (service) => service.recordOf(api.counters, { query: { name, period, brand } }),
        (record) => objectsIn(record['counters']).map(textOf).join('\n\n'),
      ),
    )
}

/** The titles of counters whose names do not explain them. */
const TITLES: Readonly<Record<string, string>> = { 'store-questions': 'session checks by the store' }

/** With more labels, each label with a count gets a line instead of a column. */
const MOST_COLUMNS = 8

function textOf(counter: JsonObject): string {
  const name = String(counter['name'])
  const labels = Array.isArray(counter['labels']) ? counter['labels'].map(String) : []
  const buckets = objectsIn(counter['buckets']).map(({ at, counts }) => ({
    at: String(at),
    counts: isObject(counts) ? counts : {},
  }))
  const countOf = (counts: JsonObject, label: string) => Number(counts[label] ?? 0)
  const sum = buckets.reduce(
    (all, { counts }) => all + labels.reduce((some, label) => some + countOf(counts, label), 0),
    0,
  )
  const title = `${TITLES[name] ?? harmless(name).replaceAll('-', ' ')}: ${sum}`
  if (sum === 0) return title
  if (labels.length <= MOST_COLUMNS) {
    const rows = buckets.map(({ at, counts }): Row => ({ at, ...numbersOf(counts, labels) }))
    return `${title}\n${tableOf(rows, ['at', ...labels])}`
  }
  const rows = buckets.flatMap(({ at, counts }) =>
    labels
      .filter((label) => countOf(counts, label) > 0)
      .map((label): Row => ({ at, what: label, times: countOf(counts, label) })),
  )
  return `${title}\n${tableOf(rows, ['at', 'what', 'times'])}`
}

const numbersOf = (counts: JsonObject, labels: readonly string[]): Row =>
  Object.fromEntries(labels.map((label) => [label, Number(counts[label] ?? 0)]))
