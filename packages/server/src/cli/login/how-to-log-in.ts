/** The login of a command that does not use a kept login: in a browser, or as an agent. */
import type { CommandContext } from '../context.ts'
import type { LogIn } from './discharge.ts'

/** Returns the method; `agent` is an agents file, if any. Throws `FileError`. */
export async function howToLogIn(agent: string | undefined, context: CommandContext): Promise<LogIn> {
  if (agent === undefined) {
    const { inBrowser } = await import('./in-browser.ts')
    return inBrowser(context)
  }
  const { asAgent } = await import('./as-agent.ts')
  return asAgent(agent)
}
