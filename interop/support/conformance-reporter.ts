/**
 * A reporter of Node's test runner, for runs of all tests: keeps docs/conformance.md. With `CI=true` it only compares,
 * and a difference makes the run fail.
 */
import { basename, join, relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { conformancePage, keepPage, type Result } from './conformance.ts'
import { clientPaths } from './paths.ts'
import { clientVersions } from './requirements.ts'

export default async function* conformance(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results: Result[] = []
  /** Of the test that runs and the suites around it. */
  const titles: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name)
    if ((type === 'test:pass' || type === 'test:fail') && data.details.type === 'test' && !data.skip) {
      const passed = type === 'test:pass'
      results.push({ file: basename(data.file ?? ''), titles: titles.slice(0, data.nesting + 1), passed })
    }
    // The summary of the whole run has no file. A failure may have kept tests from running.
    if (type === 'test:summary' && data.file === undefined && data.success) yield keep(results)
  }
}

/** What there is to say about it. */
function keep(results: readonly Result[]): string {
  const file = relative(process.cwd(), join(clientPaths.root, 'docs/conformance.md'))
  try {
    keepPage(file, conformancePage(results, clientVersions()), { mayWrite: process.env['CI'] !== 'true' })
    return ''
  } catch (error) {
    process.exitCode = 1
    return `\n${(error as Error).message}\n`
  }
}
