// npm run program:trace -- FILE.map < TRACE: prints a stack trace of the one-file program with the positions in the
// sources. FILE.map is published with the program, as ratafia-VERSION.map.

import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { text } from 'node:stream/consumers'

const [file] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('Usage: npm run program:trace -- ratafia-VERSION.map < TRACE\n')
  process.exitCode = 2
} else {
  const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  const trace = await text(process.stdin)
  process.stdout.write(
    trace.replaceAll(
      /file:\/\/[^\s()]*?:(\d+):(\d+)/g,
      (position, line, column) => sourceOf(map, Number(line), Number(column)) ?? position,
    ),
  )
}

/** Returns `FILE:LINE:COLUMN` in the sources, counted from 1; undefined for a position that no source has. */
function sourceOf(map: SourceMap, line: number, column: number): string | undefined {
  const entry = map.findEntry(line - 1, column - 1)
  if (!('originalSource' in entry)) return undefined
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}
