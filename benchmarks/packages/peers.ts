// The other implementations: how each is built and run. What is missing on this machine is left out, and said.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Peer {
  readonly name: string
  /** How many times its rate ours should be. */
  readonly mark: number
  /** Builds it, and says how to run it. Throws if this machine lacks something. */
  readonly prepare: () => Promise<Program> | Program
}

/** A command that takes the file of the inputs and the seconds for each work. */
export interface Program {
  readonly command: readonly [string, ...string[]]
  readonly environment?: Readonly<Record<string, string>>
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const BUILT = here('.built')
const SNAPD = '/usr/share/gocode/src/github.com/snapcore/snapd/asserts'
const ONE_THREAD = { GOMAXPROCS: '1' }

export const OURS: Program = node('ours.ts')

export const PEERS: readonly Peer[] = [
  { name: 'npm macaroon', mark: 5, prepare: npmMacaroon },
  { name: 'pymacaroons', mark: 5, prepare: pymacaroons },
  { name: 'Go macaroon.v2', mark: 1, prepare: macaroonGo },
  { name: 'snapd asserts', mark: 1, prepare: assertsGo },
]

function node(file: string): Program {
  return { command: [process.execPath, '--disable-warning=ExperimentalWarning', here(file)] }
}

function npmMacaroon(): Program {
  createRequire(import.meta.url).resolve('macaroon')
  return node('npm-macaroon.ts')
}

function pymacaroons(): Program {
  const python = join(BUILT, 'venv/bin/python')
  if (!existsSync(join(BUILT, 'venv/complete'))) {
    run('python3', ['-m', 'venv', join(BUILT, 'venv')])
    run(python, ['-m', 'pip', 'install', '--quiet', '--requirement', here('requirements.txt')])
    run('touch', [join(BUILT, 'venv/complete')])
  }
  return { command: [python, here('pymacaroons_rates.py')] }
}

function macaroonGo(): Program {
  return goProgram('macaroon-go', [], { GOFLAGS: '-mod=readonly' })
}

function assertsGo(): Program {
  if (!existsSync(SNAPD)) throw new Error(`there is no ${SNAPD}: interop/setup installs it`)
  // Debian's libraries are a GOPATH; nothing is downloaded.
  const environment = { GO111MODULE: 'off', GOFLAGS: '', GOPATH: '/usr/share/gocode' }
  return goProgram('asserts-go', ['-tags', 'nosecboot'], environment)
}

function goProgram(folder: string, options: readonly string[], environment: Record<string, string>): Program {
  const program = join(BUILT, folder)
  mkdirSync(BUILT, { recursive: true })
  const all = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0', ...environment }
  run('go', ['build', ...options, '-o', program, '.'], { cwd: here(folder), env: all })
  return { command: [program], environment: ONE_THREAD }
}

function run(command: string, options: readonly string[], where: object = {}): void {
  execFileSync(command, options, { stdio: ['ignore', 'ignore', 'inherit'], ...where })
}
