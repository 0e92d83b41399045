/** Writes the newest figures into `docs/performance.md`, and the chart beside it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../tools/test/programs.ts'
import { WORKS } from '../works/all.ts'
import { chart } from './chart.ts'
import type { Figure } from './figure.ts'
import type { Results } from './results.ts'
import { cellsOf } from './table.ts'

const PAGE = join(ROOT, 'docs/performance.md')
const CHART = join(ROOT, 'docs/performance.svg')
const BEGIN = '<!-- figures: written by npm run bench -->'
const END = '<!-- end of the figures -->'

export function writePage(results: Results): void {
  const works = WORKS.flatMap(({ name }) => {
    const run = results.works[name]
    return run ? [{ name, ...run }] : []
  })
  const bars = works.flatMap(({ name, figures }) =>
    figures.map((figure) => ({ label: labelOf(name, figure), figure })),
  )
  writeFileSync(CHART, chart(bars, `Ratafia at ${results.commit}`))
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(PAGE, withFigures(page, figuresOf(results)))
}

function labelOf(name: string, { what, database, measure, beside }: Figure): string {
  const work = what.startsWith(name) ? what : `${name}: ${what}`
  // What is measured beside something is clear from the work.
  return [work, database, ...(beside ? [] : [measure])].filter(Boolean).join(', ')
}

/** Throws an Error if the page has lost its markers. */
export function withFigures(page: string, figures: string): string {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined)
    throw new Error('docs/performance.md has no place for them')
  return `${before}${BEGIN}\n\n${figures}\n\n${END}${after}`
}

/** A line on each machine, and the table. */
export function figuresOf({ commit, works }: Results): string {
  const runs = WORKS.flatMap(({ name }) => {
    const run = works[name]
    return run ? [{ name, ...run }] : []
  })
  const rows = runs.flatMap(({ name, figures }) =>
    figures.map((figure) => `| ${[`\`${name}\` ${figure.what}`, ...cellsOf(figure)].join(' | ')} |`),
  )
  const places = Map.groupBy(runs, ({ machine }) => Object.values({ ...machine, postgres: '' }).join(', '))
  const lines = [...places.values()].map(([run, ...others]) => {
    const all = [run, ...others].flatMap((each) => (each ? [each] : []))
    const dates = all.map(({ date }) => date.slice(0, 10)).sort()
    const { cpu, memory, system, node } = run?.machine ?? {}
    const postgres = all.find(({ machine }) => machine['postgres'])?.machine['postgres']
    return [
      `Commit ${commit}, ${[...new Set([dates[0], dates.at(-1)])].join(' to ')}.`,
      `${cpu}, ${memory}, ${system}.`,
      `Node ${node?.slice(1)}${postgres === undefined ? '' : `, PostgreSQL ${postgres}`}.`,
    ].join('\n')
  })
  const refusals = runs.flatMap((run) => run.refusals)
  const refused = refusals.filter((each) => each.refused).length
  return [
    ...lines,
    '',
    `Of ${refusals.length} things shown to the measured services that must be refused, ${refused} were.`,
    '',
    '| work | database | measure | ours | beside | value | mark | result |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
