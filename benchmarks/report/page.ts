/** Writes the newest figures into `docs/performance.md`, and the chart next to it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../tools/test/programs.ts'
import { WORKS } from '../works/all.ts'
import { chart } from './chart.ts'
import type { Figure } from './figure.ts'
import { type NewestRuns, type Results, resultsOf, sameFigure } from './results.ts'
import { sizingOf } from './sizing.ts'
import { cellsOf, shownValue } from './table.ts'

const PAGE = join(ROOT, 'docs/performance.md')
const GRAPHS = join(ROOT, 'docs/performance')
const CHART = join(ROOT, 'docs/performance.svg')
/** The commit whose figures are shown for comparison as the earlier ones. */
const BEFORE = '4beb700'

export function writePage(results: NewestRuns): void {
  const before = resultsOf(BEFORE)
  const bars = runsOf(results).flatMap(({ name, figures }) =>
    figures.map((figure) => ({
      ...{ label: labelOf(name, figure), figure },
      before: before && sameFigure(before, name, figure),
    })),
  )
  writeFileSync(CHART, chart(bars, `Ratafia at ${commitsOf(runsOf(results)).join(', ')}`))
  const page = readFileSync(PAGE, 'utf8')
  const figures = withSection(page, 'figures', figuresOf(results, before))
  const sized = withSection(figures, 'sizing', sizingOf(results))
  writeFileSync(PAGE, withSection(sized, 'graphs', graphsOf(readdirSync(GRAPHS))))
}

/** Returns a table with a row for each load, which links to its flame graphs. */
export function graphsOf(files: readonly string[]): string {
  const label = (file: string) => /-(before|after)\.svg$/.exec(file)?.[0] ?? ''
  const loads = Map.groupBy(files.filter(label), (file) => file.slice(0, -label(file).length))
  const link = (load: string, when: string) => {
    const file = `${load}-${when}.svg`
    return files.includes(file) ? `[${when}](performance/${file})` : ''
  }
  const rows = [...loads.keys()]
    .sort()
    .map((load) => `| ${load} | ${link(load, 'before')} | ${link(load, 'after')} |`)
  return ['| load | before | after |', '|---|---|---|', ...rows].join('\n')
}

const runsOf = ({ works }: NewestRuns) =>
  WORKS.flatMap(({ name }) => {
    const run = works[name]
    return run ? [{ name, ...run }] : []
  })

function labelOf(name: string, { what, database, measure, beside }: Figure): string {
  const work = what.startsWith(name) ? what : `${name}: ${what}`
  // For a comparison, the work's name already shows the measure.
  return [work, database, ...(beside ? [] : [measure])].filter(Boolean).join(', ')
}

/** Replaces a section of the page. Throws an Error if its markers are missing. */
export function withSection(page: string, name: 'figures' | 'sizing' | 'graphs', text: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run bench -->`, `<!-- end of the ${name} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/performance.md has no place for ${name}`)
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}

const commitsOf = (runs: readonly Pick<Results, 'commit'>[]): readonly string[] => [
  ...new Set(runs.map(({ commit }) => commit)),
]

/** Returns the works by machine, and the table of figures. With `before`, the table also has the earlier values. */
export function figuresOf(results: NewestRuns, before?: Results): string {
  const runs = runsOf(results)
  const rows = runs.flatMap(({ name, figures }) =>
    figures.map((figure) => {
      const [database, measure, ours, beside, ...rest] = cellsOf(figure)
      const then = before && sameFigure(before, name, figure)
      const cells = [
        database,
        measure,
        ours,
        beside,
        ...(before ? [then ? shownValue(then) : ''] : []),
        ...rest,
      ]
      return `| ${[`\`${name}\` ${figure.what}`, ...cells].join(' | ')} |`
    }),
  )
  const refusals = runs.flatMap((run) => run.refusals)
  const refused = refusals.filter((each) => each.refused).length
  return [
    ...placesOf(runs),
    '',
    `The measured services refused ${refused} of ${refusals.length} requests that they must refuse.`,
    '',
    `| work | database | measure | ours | compared with |${before ? ` ${before.commit} |` : ''} value | target | result |`,
    `|---|---|---|---|---|${before ? '---|' : ''}---|---|---|`,
    ...rows,
  ].join('\n')
}

/** Returns the rows of measured works by commit, machine and date. */
function placesOf(runs: ReturnType<typeof runsOf>): readonly string[] {
  const placeOf = ({ commit, machine: { cpu, memory, system, node } }: (typeof runs)[number]) =>
    `${commit} | ${[cpu, memory, system, `Node ${node?.slice(1)}`].join(', ')}`
  const rows = [...Map.groupBy(runs, placeOf)].map(([place, its]) => {
    const dates = its.map(({ date }) => date.slice(0, 10)).sort()
    const postgres = its.find(({ machine }) => machine['postgres'])?.machine['postgres']
    const release = postgres === undefined ? '' : `, PostgreSQL ${postgres}`
    const days = [...new Set([dates[0], dates.at(-1)])].join(' to ')
    return `| ${place}${release} | ${days} | ${its.map(({ name }) => `\`${name}\``).join(', ')} |`
  })
  return ['| commit | machine | date | works |', '|---|---|---|---|', ...rows]
}
