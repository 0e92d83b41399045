/**
 * Builds the one-file program: a bundle of our code and of all packages, inside Node as a "single executable
 * application" (https://nodejs.org/api/single-executable-applications.html). The same commit and lock file give the same
 * bytes in any directory.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { version as esbuildVersion } from 'esbuild'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { docsSiteAsset } from '../docs/site/docs-site.ts'
import { ROOT } from '../test/programs.ts'
import { bundleProgram, MAP, SCRIPT } from './bundle.ts'
import { licencesOf } from './licences.ts'
import { type Architecture, runtimeFor } from './runtime.ts'

export interface BuildRecord {
  readonly release: string
  /** With `-modified` if the checkout has changes; null outside of a repository. */
  readonly commit: string | null
  readonly platform: string
  readonly node: string
  readonly esbuild: string
  /** The first line of `strip --version`: another version can give other bytes. */
  readonly strip: string
  readonly bytes: number
  /** In hexadecimal. */
  readonly sha256: string
}

const STRIP = { x64: 'x86_64-linux-gnu-strip', arm64: 'aarch64-linux-gnu-strip' } as const

/** The name of the file with the text that `ratafia licences` prints. */
const LICENCES = 'licences.txt'

/**
 * Writes the executable `ratafia`, its source map `ratafia-VERSION.map`, `licences.txt` and `build.json` into
 * `directory`. Each replaces an older one at once, which may be running. Throws an Error if a licence is missing, or a
 * tool fails.
 */
export async function buildProgram(directory: string, architecture: Architecture): Promise<BuildRecord> {
  mkdirSync(directory, { recursive: true })
  const work = mkdtempSync(join(directory, 'work-'))
  const runtime = runtimeFor(architecture)
  try {
    const { packages } = await bundleProgram(work)
    const licences = licencesOf(packages, runtime.licence)
    const commit = commitOf(ROOT)
    writeFileSync(join(work, LICENCES), licences)
    writeFileSync(join(work, 'licences.txt.br'), brotliCompressSync(licences))
    writeFileSync(join(work, 'build.json'), JSON.stringify({ commit }))
    writeFileSync(join(work, 'docs-site.json'), docsSiteAsset())
    copyFileSync(runtime.node, join(work, 'node'))
    chmodSync(join(work, 'node'), 0o755)
    run(work, STRIP[architecture], '--strip-all', 'node')
    writeFileSync(join(work, 'program.json'), JSON.stringify(programFor(architecture)))
    // Without a fixed seed, the compiled code differs each time.
    run(work, process.execPath, '--random-seed=1', '--build-sea', 'program.json')
    const program = join(work, 'ratafia')
    chmodSync(program, 0o755)
    const [strip = ''] = run(work, STRIP[architecture], '--version').split('\n')
    const record: BuildRecord = {
      release: RELEASE,
      commit,
      platform: `linux-${architecture}`,
      node: runtime.version,
      esbuild: esbuildVersion,
      strip,
      bytes: statSync(program).size,
      sha256: hashOf(program),
    }
    writeFileSync(join(work, 'build.json'), `${JSON.stringify(record, null, 2)}\n`)
    renameSync(program, join(directory, 'ratafia'))
    renameSync(join(work, MAP), join(directory, `ratafia-${RELEASE}.map`))
    renameSync(join(work, LICENCES), join(directory, LICENCES))
    renameSync(join(work, 'build.json'), join(directory, 'build.json'))
    return record
  } finally {
    runtime.remove()
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Returns the record of the program in `directory` if another build would give the same bytes; undefined if there is
 * none, or if the checkout has changes.
 */
export function currentProgram(directory: string, architecture: Architecture): BuildRecord | undefined {
  const [path, program] = [join(directory, 'build.json'), join(directory, 'ratafia')]
  const commit = commitOf(ROOT)
  if (commit === null || commit.endsWith('-modified') || !existsSync(path) || !existsSync(program))
    return undefined
  const record: BuildRecord = JSON.parse(readFileSync(path, 'utf8'))
  const current =
    record.commit === commit &&
    record.platform === `linux-${architecture}` &&
    record.sha256 === hashOf(program)
  return current ? record : undefined
}

/** The files inside, which `start/release/assets.ts` reads. */
const ASSETS = ['build.json', 'docs-site.json', 'licences.txt.br']

/** Paths are relative, because Node keeps them in the executable. */
const programFor = (architecture: Architecture) => ({
  main: SCRIPT,
  mainFormat: 'module',
  executable: 'node',
  output: 'ratafia',
  disableExperimentalSEAWarning: true,
  // V8 refuses code that it compiled for another processor, and warns about it at every start.
  useCodeCache: architecture === process.arch,
  execArgv: ['--disable-warning=ExperimentalWarning'],
  // Lets an operator set heap sizes, `--use-system-ca` or the inspector with NODE_OPTIONS.
  execArgvExtension: 'env',
  assets: Object.fromEntries(ASSETS.map((name) => [name, name])),
})

function run(directory: string, command: string, ...words: readonly string[]): string {
  try {
    return execFileSync(command, words, {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error(`${command} is missing. On Debian, tools/program/setup installs it.`)
  }
}

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

function commitOf(checkout: string): string | null {
  const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: checkout, encoding: 'utf8' })
  const { status, stdout } = git('rev-parse', 'HEAD')
  if (status !== 0) return null
  return `${stdout.trim()}${git('status', '--porcelain').stdout === '' ? '' : '-modified'}`
}
