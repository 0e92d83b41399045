// npm run measure [-- DIRECTORY]: prints a table of the size and structure of the sources.

import { resolve } from 'node:path'
import { type Figures, measure } from './measure.ts'

const columns = measure(resolve(process.argv[2] ?? '.'))

const ROWS: Readonly<Record<string, (figures: Figures) => string>> = {
  'files / lines': ({ files, lines }) => `${files} / ${lines}`,
  'file: median / p95 / max lines': ({ fileLines }) => spread(fileLines),
  'function: median / p95 / max lines': ({ functionLines }) => spread(functionLines),
  '`any`, `as`, `!` per 1,000 lines': ({ lines, any, as, nonNull }) =>
    [any, as, nonNull].map((count) => perThousand(count, lines)).join(', '),
  'import cycles': ({ cycles }) => String(cycles),
  'cycles of folders': ({ upward }) => String(upward),
  'biggest folder': ({ biggestFolder: [folder, count] }) => `${count} (${folder})`,
}

const spread = ({ median, p95, max }: Figures['fileLines']): string => `${median} / ${p95} / ${max}`
const perThousand = (count: number, lines: number): string => ((count * 1000) / lines).toFixed(1)

const names = [...columns.keys()]
process.stdout.write(`| | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}\n`)
for (const [label, cell] of Object.entries(ROWS)) {
  process.stdout.write(`| ${label} | ${[...columns.values()].map(cell).join(' | ')} |\n`)
}
