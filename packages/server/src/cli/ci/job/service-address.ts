/** The service that a job talks to: secrets go there over https, or stay on this machine. */
import { isConfidential } from '../../../config/values.ts'
import { type CommandContext, UsageError } from '../../context.ts'

/** Without a trailing slash. Throws {@link UsageError}, and as `CommandContext.findService` does. */
export async function serviceAddress(given: string | undefined, context: CommandContext): Promise<string> {
  const { url, from } = await context.findService(given)
  requireConfidential(url, from)
  return url
}

/** `name`: the option or variable that has the address. Throws {@link UsageError}. */
export function requireConfidential(url: string, name: string): void {
  if (URL.canParse(url) && isConfidential(new URL(url))) return
  throw new UsageError(
    `${name} is not an https address, so others could read what is sent there. Plain http is for this machine alone (127.0.0.1).`,
  )
}
