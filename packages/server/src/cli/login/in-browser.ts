/** Logging in with a browser: the user opens an address, and the command waits until they have decided. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandContext, ServiceAway, ServiceRefusal } from '../context.ts'
import { note } from '../output.ts'
import { harmless } from '../terminal/harmless.ts'
import { type Answer, ask, isAddress, NoAnswer, placeOf, refusalIn, strangeAnswer } from './ask.ts'
import type { LogIn, LoginToken } from './discharge.ts'

/** The identity service keeps a request waiting for ten minutes, but this client's HTTP library gives up after five. */
const HELD_MS = 240_000
/** An unfinished login expires after half an hour. */
const MOST_MS = 31 * 60_000
/** Failures in a row; a service that restarts answers again before. */
const FAILURES = 30
const PAUSE_MS = 1_000

/** Returns the login of a command that has no kept one; `agent` is an agents file, if any. Throws `FileError`. */
export async function howToLogIn(agent: string | undefined, context: CommandContext): Promise<LogIn> {
  if (agent === undefined) return inBrowser(context)
  const { asAgent } = await import('./as-agent.ts')
  return asAgent(agent)
}

export const inBrowser =
  (context: Pick<CommandContext, 'streams' | 'job'>): LogIn =>
  async (offers, location) => {
    const { VisitURL: visit, WaitTokenURL: wait } = offers['browser-window'] ?? {}
    if (!isAddress(visit) || !isAddress(wait)) {
      throw new ServiceRefusal(`${placeOf(location)} does not offer logins in a browser. Pass --agent.`)
    }
    note(context.streams, `Open this address in a browser and sign in:\n\n  ${harmless(visit)}\n\nWaiting …`)
    openBrowser(visit, context)
    return decided(wait)
  }

/** Asks until the user has decided; the identity service answers clients after a while anyway, and may restart. */
async function decided(url: string): Promise<LoginToken> {
  const end = performance.now() + MOST_MS
  for (let failures = 0; performance.now() < end; ) {
    const answer = await ask(url, { patience: HELD_MS }).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error
      failures = error.tooSlow ? 0 : failures + 1
      if (failures > FAILURES) throw error
      return error
    })
    if (!(answer instanceof NoAnswer)) {
      if (answer.status === 200) return tokenIn(answer)
      if (!isPassing(answer)) throw refusalIn(answer)
      failures = 0
    }
    if (!(answer instanceof NoAnswer && answer.tooSlow)) await sleep(PAUSE_MS)
  }
  throw new ServiceAway('This login was not approved within half an hour. Log in again.')
}

/** Returns whether the login is still undecided, or the service is busy or restarts. */
const isPassing = ({ status }: Answer): boolean => status === 429 || (status >= 502 && status <= 504)

function tokenIn({ url, body = {} }: Answer): LoginToken {
  const { kind, token, token64 } = body
  if (typeof kind === 'string' && typeof token64 === 'string')
    return { kind, parameter: 'token64', value: token64 }
  if (typeof kind === 'string' && typeof token === 'string') return { kind, parameter: 'token', value: token }
  throw strangeAnswer(url, 'no login')
}

/** Opens the address at a terminal with a display. Ignores failures, because the command also prints the address. */
function openBrowser(address: string, { streams, job }: Pick<CommandContext, 'streams' | 'job'>): void {
  const program = streams.stderr.isTTY
    ? opener(job.variable('DISPLAY') ?? job.variable('WAYLAND_DISPLAY'))
    : undefined
  if (program === undefined) return
  try {
    // The address begins with http, so the program cannot read it as an option.
    const child = spawn(program, [new URL(address).href], { env: job.whole, stdio: 'ignore', detached: true })
    child.on('error', () => {})
    child.unref()
  } catch {
    // The user still sees the printed address.
  }
}

/** Returns the program that opens browsers. Without a display, `xdg-open` would start one in the terminal itself. */
function opener(display: string | undefined): string | undefined {
  if (process.platform === 'darwin') return 'open'
  if (process.platform === 'win32') return undefined
  return display === undefined ? undefined : 'xdg-open'
}
