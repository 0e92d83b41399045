/** Child processes, which do not outlive this process unless it is killed with SIGKILL. */
import type { ChildProcess } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { compiled, ROOT } from '../../tools/test/programs.ts'

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
// Otherwise these signals would end the process without an 'exit' event.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

export function endWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Returns this process's environment without the service's settings. The Node of `npm ci` is first in the path. */
export function environmentWith(more: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('RATAFIA_'))
  const path = [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: path,
    NODE_COMPILE_CACHE: compiled(),
    ...more,
  }
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
