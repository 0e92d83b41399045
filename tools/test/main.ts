/**
 * Runs the tests. Without arguments it runs those of `npm test`; with `--full`, the others (`passes.ts`); with paths,
 * those files, and `--full` then turns off sampling. Options that begin with `--test-` are passed to Node's runner.
 * Starts one PostgreSQL and bundles the program.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bundleForTests } from './bundle.ts'
import { allTests, type Pass, passesOf } from './passes.ts'
import { globalSetup, globalTeardown } from './postgres.ts'
import { COMPILE_CACHE, ROOT } from './programs.ts'
import { scratchDirectory } from './scratch.ts'

const COMMON_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  // The same output at a terminal and in a log.
  '--test-reporter=spec',
  // Collects short-lived objects less often.
  '--max-semi-space-size=64',
]

/** Far longer than a pass takes on a busy machine: a failed test that leaves a server running must not block it. */
const PASS_DEADLINE_MS = 60 * 60_000

/** The number of concurrent passes, for a machine with two cores: tests often wait for PostgreSQL and each other. */
const AT_ONCE = 6

process.chdir(ROOT)
const words = process.argv.slice(2)
const full = words.includes('--full')
const options = words.filter((word) => word.startsWith('--test-'))
const paths = words.filter((word) => !word.startsWith('--'))

const files = (paths.length > 0 ? globSync(paths) : allTests())
  .map((path) => relative(ROOT, join(ROOT, path)))
  .sort()
  .map((path) => ({ path, size: statSync(path).size }))
const passes = passesOf(files, paths.length > 0 ? 'chosen' : full ? 'full' : 'quick')
const direct = passes.length < 2
const passed: boolean[] = []
if (passes.length === 0) {
  process.stderr.write(`No test file: ${words.join(' ')}\n`)
  process.exit(2)
}

process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE
if (full) process.env['RATAFIA_TEST_FULL'] = '1'
const times: string[] = []
// By default these signals end the process without an 'exit' event.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
try {
  await Promise.all([globalSetup(), bundleForTests()])
  const queue = passes.filter(({ last }) => !last)
  const drain = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, drain))
  for (const pass of passes.filter(({ last }) => last)) await run(pass)
} finally {
  await globalTeardown()
}
process.stdout.write(`\n${times.join('\n')}\n`)
process.exitCode = passed.every(Boolean) ? 0 : 1

async function run(pass: Pass): Promise<void> {
  passed.push(await isPassed(pass))
}

/** Runs a pass and returns whether it passed. Prints the output of a concurrent pass once it has finished. */
async function isPassed({ name, files, nodeOptions }: Pass): Promise<boolean> {
  const started = performance.now()
  const program = nodeOptions.includes('--test') ? [] : ['tools/test/run-files.ts']
  const child = spawn(
    process.execPath,
    [...COMMON_OPTIONS, ...nodeOptions, ...options, ...program, ...files],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PASS_DEADLINE_MS,
      env: { ...process.env, TMPDIR: scratchDirectory() },
    },
  )
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (direct ? process.stdout.write(chunk) : output.push(chunk)))
  }
  const [code] = (await once(child, 'close')) as [number | null]
  const seconds = Math.round((performance.now() - started) / 1000)
  process.stdout.write(Buffer.concat(output))
  if (child.killed) process.stdout.write(`\nStopped ${name}, which was still running after ${seconds} s.\n`)
  times.push(
    `${code === 0 ? 'passed' : 'FAILED'} in ${`${seconds}`.padStart(3)} s: ${name} (${files.length})`,
  )
  return code === 0
}
