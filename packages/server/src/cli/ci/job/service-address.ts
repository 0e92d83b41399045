/** The address of the service for a job: secrets travel over https, or stay on this machine. */
import { isConfidential } from '../../../config/values.ts'
import { type CommandContext, UsageError } from '../../context.ts'

/** Returns the address without a trailing slash. Throws {@link UsageError}, and as `findService` does. */
export async function serviceAddress(given: string | undefined, context: CommandContext): Promise<string> {
  const { url, from } = await context.findService(given)
  requireConfidential(url, from)
  return url
}

/** Refuses plain http to other machines. `name`: the source of the address. Throws {@link UsageError}. */
export function requireConfidential(url: string, name: string): void {
  if (URL.canParse(url) && isConfidential(new URL(url))) return
  throw new UsageError(
    `${name} is not an https address, so others could read the request. Plain http is only for this machine (127.0.0.1).`,
  )
}
