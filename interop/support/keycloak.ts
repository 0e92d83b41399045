/**
 * Runs Keycloak in its own process, with a database in memory. In each realm that a test creates, the service account
 * of a client plays a CI job: Keycloak signs its tokens like all others.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../tools/test/free-port.ts'
import { KeycloakRealm } from './keycloak-realm.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

const START_DEADLINE_MS = 240_000
const LOG_SHOWN = 4_000

export interface Keycloak {
  /** Creates a realm. */
  addRealm(name: string): Promise<KeycloakRealm>
  /** Stops the process without ending it, so that it answers no requests. */
  pause(): void
  goOn(): void
  stop(): Promise<void>
}

/** Starts Keycloak, and returns once it answers. */
export async function startKeycloak(): Promise<Keycloak> {
  const url = `http://127.0.0.1:${await freePort()}`
  const admin = { username: 'admin', password: randomBytes(16).toString('hex') }
  const child = spawn(join(clientPaths.keycloak, 'bin/kc.sh'), startWords(url), {
    env: cleanEnvironment({
      KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
      JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx384m',
      // Keycloak runs for a minute: optimising would cost more than it saves.
      JAVA_OPTS_APPEND: '-XX:TieredStopAtLevel=1',
    }),
    // The script starts Java as a child, so signals must reach the whole process group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const signal = (name: NodeJS.Signals) => signalGroup(child, name)
  const kill = () => signal('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    kill()
    await ended
  }
  try {
    await answers(url, child)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    addRealm: (name) => KeycloakRealm.make(url, admin, name),
    pause: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    stop,
  }
}

const startWords = (url: string): readonly string[] => [
  ...['start', '--optimized', '--cache=local', '--hostname-strict=false'],
  ...['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${new URL(url).port}`],
]

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name)
}

/** Waits until Keycloak answers. Throws an `Error` with the end of its log if it does not. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-LOG_SHOWN)
    })
  }
  const deadline = performance.now() + START_DEADLINE_MS
  for (;;) {
    const answer = await fetch(`${url}/realms/master`).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`Keycloak did not start: ${log.trim()}`)
    }
    await sleep(100)
  }
}
