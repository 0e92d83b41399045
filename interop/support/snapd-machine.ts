/** A machine with snapd: daemon and command `snap` from Debian's unchanged sources, with their own directory. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AtTerminal, atTerminal, type Typed } from './at-terminal.ts'
import { endWithThisProcess } from './end-with-this-process.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

export interface Machine {
  /** Runs `snap WORDS` at a terminal, and types each answer when its question appears. */
  snap(words: readonly string[], answers?: Typed): Promise<AtTerminal>
  /** Returns the daemon's credentials of the user who is logged in. */
  login(): Promise<Login | undefined>
  restart(): Promise<void>
  stop(): Promise<void>
}

interface Login {
  readonly root: string
  /** The discharge, which is not bound. */
  readonly discharge: string
}

/**
 * Scripts that replace the programs that the daemon looks for before it serves requests, although there is no
 * snap here to confine or to mount. Mounting requires root, and does not work in every container.
 */
const STAND_INS = {
  'usr/lib/snapd/snap-seccomp': 'echo 0 0.0.0 0 -',
  'bin/mount':
    'for last; do :; done; echo "This file is used to check that snapd can read a squashfs image." >"$last/canary.txt"',
  'bin/umount': '',
  'bin/mount.fuse': '',
} as const

/** Starts a machine. `environment` is for the daemon. */
export async function startMachine(environment: Readonly<Record<string, string>>): Promise<Machine> {
  // The path of a socket has at most 107 characters.
  const directory = await mkdtemp(join(tmpdir(), 'snapd-'))
  const at = (...names: string[]) => join(directory, ...names)
  await Promise.all(
    ['run', 'tmp', 'usr/lib/snapd', 'bin'].map((name) => mkdir(at(name), { recursive: true })),
  )
  await Promise.all(Object.entries(STAND_INS).map(([name, text]) => writeScript(at(name), text)))
  const own = { SNAPPY_GLOBAL_ROOT: directory, SNAPD_AUTH_DATA_FILENAME: at('auth.json') }
  const path = [at('bin'), cleanEnvironment()['PATH']].join(delimiter)
  const begin = () => startDaemon(directory, { ...environment, ...own, PATH: path })
  let daemon = await begin()
  return {
    snap: (words, answers) => atTerminal([clientPaths.snap, ...words], own, answers),
    login: async () => {
      const { data } = JSON.parse(await readFile(at('var/lib/snapd/state.json'), 'utf8')) as State
      const [user] = data.auth?.users ?? []
      return user && { root: user['store-macaroon'], discharge: user['store-discharges'][0] ?? '' }
    },
    restart: async () => {
      await stop(daemon)
      daemon = await begin()
    },
    stop: async () => {
      await stop(daemon)
      await rm(directory, { recursive: true })
    },
  }
}

interface State {
  readonly data: {
    readonly auth?: {
      readonly users?: readonly {
        readonly 'store-macaroon': string
        readonly 'store-discharges': readonly string[]
      }[]
    }
  }
}

async function writeScript(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
}

async function startDaemon(
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const socket = join(directory, 'run/snapd.socket')
  await rm(socket, { force: true })
  // snapd lets root log in without polkit. The user who creates a namespace is its root.
  const command = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user']
  const [program = '', ...words] = [...command, clientPaths.snapd]
  const child = spawn(program, words, {
    // Otherwise the daemon exits after five seconds without snaps, until systemd starts it again.
    env: cleanEnvironment({ ...environment, SNAPD_STANDBY_WAIT: '1h' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endWithThisProcess(child)
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  for (let attempt = 0; !existsSync(socket); attempt++) {
    if (child.exitCode !== null || attempt > 200) assert.fail(`snapd does not start: ${log}`)
    await sleep(50)
  }
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
