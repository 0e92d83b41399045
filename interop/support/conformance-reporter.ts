/**
 * A reporter of Node's test runner that writes docs/conformance.md after a run of all tests. With `CI=true` it only
 * compares the page, and a difference makes the run fail.
 */
import { basename, join, relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { conformancePage, keepPage, type Result } from './conformance.ts'
import { clientPaths } from './paths.ts'
import { clientVersions } from './requirements.ts'

export default async function* conformance(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results: Result[] = []
  /** The titles of the current test and the suites around it. */
  const titles: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name)
    if ((type === 'test:pass' || type === 'test:fail') && data.details.type === 'test' && !data.skip) {
      const passed = type === 'test:pass'
      results.push({ file: basename(data.file ?? ''), titles: titles.slice(0, data.nesting + 1), passed })
    }
    // The summary of the whole run has no file. After a failure, some tests may not have run.
    if (type === 'test:summary' && data.file === undefined && data.success) yield keep(results)
  }
}

/** Writes or compares the page. Returns a message about a difference. */
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
