// npm run docs:recording: records the demo of README.md. Runs the real commands, and writes what a terminal shows, when it
// shows it, into docs/pictures/demo.svg. The picture contains no script and no style, so it also moves inside a page.

import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROGRAM, ROOT } from '../test/programs.ts'

const SECONDS = 20
const COLUMNS = 96
const LINE_HEIGHT = 18
const CHARACTER_WIDTH = 8.4
const MARGIN = 16

interface Line {
  readonly text: string
  /** When it appears, in seconds from the start. */
  readonly at: number
  readonly isTyped: boolean
}

const lines: Line[] = []
const began = performance.now()
let paused = 0

const show = (text: string, isTyped = false): void => {
  const at = (performance.now() - began) / 1000 + paused
  for (const part of wrapped(text)) lines.push({ text: part, at, isTyped })
}

/** Lets the reader of the recording read for some seconds. The recording does not wait. */
const pause = (seconds: number): void => {
  paused += seconds
}

function wrapped(text: string): readonly string[] {
  const found = text.match(new RegExp(`.{1,${COLUMNS}}(?= |$)|.{1,${COLUMNS}}`, 'g'))
  return found?.map((part, at) => (at === 0 ? part : part.trimStart())) ?? ['']
}

const node = [process.execPath, join(ROOT, PROGRAM)] as const

show('$ ratafia demo', true)
pause(1)
const demo = spawn(node[0], [node[1], 'demo', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  argv0: 'node',
})
let directory = ''
for await (const line of createInterface({ input: demo.stdout })) {
  directory ||= /\/\S*ratafia-demo-\w+/.exec(line)?.[0] ?? ''
  // A secret in a picture would look like a mistake, and these lines are for the demo's own user.
  if (/^(Everything|Open the console|To |Approve| {2}\S*(http|ratafia ))|^$| demo device --brand/.test(line))
    continue
  show(line.replace(/:\d+\.$/, ':8090.'))
  pause(/refused:$/.test(line) ? 0 : 0.8)
  if (line.startsWith('Press Ctrl-C')) {
    pause(1.5)
    show('')
    show(
      '$ ratafia devices revoke demo-brand/demo-device/DEMO-1 --reason stolen     # in another terminal',
      true,
    )
    pause(0.8)
    const words = ['devices', 'revoke', 'demo-brand/demo-device/DEMO-1', '--reason', 'stolen', '--yes']
    const env = { PATH: process.env['PATH'], RATAFIA_DATA_DIR: directory }
    show(execFileSync(node[0], [node[1], ...words], { env, encoding: 'utf8' }).trimEnd())
    pause(0.8)
  }
  if (line.startsWith('  The device was revoked')) demo.kill('SIGINT')
}

const last = Math.max(...lines.map(({ at }) => at))
const width = Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * MARGIN)
const height = lines.length * LINE_HEIGHT + 2 * MARGIN
const texts = lines.map(({ text, at, isTyped }, row) => {
  // The last tenth of the time is for looking at everything.
  const share = Math.max(0.001, (at / last) * 0.9).toFixed(3)
  const y = MARGIN + (row + 0.75) * LINE_HEIGHT
  return `<text x="${MARGIN}" y="${y}" fill="${isTyped ? '#ffd9a0' : '#e8e3e6'}"${isTyped ? ' font-weight="bold"' : ''}>${escaped(text)}<animate attributeName="opacity" values="0;1" keyTimes="0;${share}" calcMode="discrete" dur="${SECONDS}s" repeatCount="indefinite"/></text>`
})
const label =
  'A terminal: ratafia demo starts a service, a device registers, another waits, a third is refused; then the first is revoked, and is refused.'
writeFileSync(
  join(ROOT, 'docs/pictures/demo.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${label}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<rect width="${width}" height="${height}" rx="8" fill="#2a1720"/>
${texts.join('\n')}
</svg>
`,
)
process.stdout.write(`docs/pictures/demo.svg: ${lines.length} lines\n`)

function escaped(text: string): string {
  // Spaces that follow each other would be shown as one.
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('  ', '\u00a0\u00a0')
}
