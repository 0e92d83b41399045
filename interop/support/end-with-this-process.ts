/** Ends child processes with this process, so that a test file that ends early leaves none behind. */
import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill()
})

export function endWithThisProcess(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}
