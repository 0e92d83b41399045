/** Opens the service that a command administers, with the kept token or with a login as an agent. */
import { pasteFault, withoutWhiteSpace } from '../../http/credentials/pasted.ts'
import { type CommandContext, FileError, ServiceRefusal } from '../context.ts'
import { readNamed, textOfFile } from '../files.ts'
import { note } from '../output.ts'
import { harmless } from '../terminal/harmless.ts'
import { credentialFor } from './credentials.ts'
import { type Bearer, serviceAt } from './http-service.ts'
import { logInAndKeep } from './log-in-and-keep.ts'
import { managementToken } from './management-token.ts'
import type { Service } from './service.ts'

/** Opens the service at `url`, which has no trailing slash. Throws `FileError`, `ServiceRefusal`, `ServiceAway`. */
export async function openService(url: string, context: CommandContext): Promise<Service> {
  return serviceAt(url, await bearerFor(url, context))
}

async function bearerFor(url: string, context: CommandContext): Promise<Bearer> {
  const { service, streams } = context
  const tokenFile = service.tokenFile()
  if (tokenFile !== undefined) return { token: await tokenIn(tokenFile), renew: undefined }
  const agentFile = service.agentFile()
  if (agentFile !== undefined) {
    const { asAgent } = await import('../login/as-agent.ts')
    // One hour is enough for any command.
    const token = await managementToken(
      url,
      { lifetime: 3_600 },
      await asAgent(agentFile, 'RATAFIA_AGENT_FILE'),
    )
    return { token, renew: undefined }
  }
  const kept = await credentialFor(url, service.credentialsFile())
  if (!kept) {
    throw new ServiceRefusal(
      `You are not logged in at ${url}. Log in with \`ratafia login --url ${url}\`, or set RATAFIA_AGENT_FILE or RATAFIA_TOKEN_FILE.`,
      { code: 'not-logged-in' },
    )
  }
  if (streams.stderr.isTTY) note(streams, `${url} as ${harmless(kept.account)}`)
  return {
    token: kept.token,
    // A user at a terminal can sign in again; a script gets the refusal.
    renew: streams.stderr.isTTY
      ? async () => (await logInAndKeep(url, { max_age: 0 }, context)).credential.token
      : undefined,
  }
}

async function tokenIn(file: string): Promise<string> {
  const text = textOfFile(await readNamed(file, 'RATAFIA_TOKEN_FILE'))
  const token = withoutWhiteSpace(text)
  const fault = pasteFault(text)
  if (fault === undefined && /^[A-Za-z0-9_-]{1,65536}$/.test(token)) return token
  const hint = fault === undefined ? '' : ` ${fault}.`
  throw new FileError(`${file} (RATAFIA_TOKEN_FILE) does not contain a management token.${hint}`)
}
