/** Opens an address in the browser of whoever sits at the terminal, if there is one. */
import { spawn } from 'node:child_process'
import type { CommandContext } from '../context.ts'

/**
 * Only where somebody sees what the command says, and where a window can be. Nothing depends on it: the address is shown
 * as well, and what goes wrong is not said.
 */
export function openBrowser(
  address: string,
  { streams, job }: Pick<CommandContext, 'streams' | 'job'>,
): void {
  const program = streams.stderr.isTTY
    ? opener(job.variable('DISPLAY') ?? job.variable('WAYLAND_DISPLAY'))
    : undefined
  if (program === undefined) return
  try {
    // The address begins with http, so it is no option.
    const child = spawn(program, [new URL(address).href], { env: job.whole, stdio: 'ignore', detached: true })
    child.on('error', () => {})
    child.unref()
  } catch {
    // As if there were none.
  }
}

/** Without a display, `xdg-open` would start a browser in the terminal itself. */
function opener(display: string | undefined): string | undefined {
  if (process.platform === 'darwin') return 'open'
  if (process.platform === 'win32') return undefined
  return display === undefined ? undefined : 'xdg-open'
}
