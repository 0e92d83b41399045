/** Builds all files of a release, except the signature, and the offline bundle, which contains the signature. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { RELEASE } from '../../../packages/server/src/start/release/release.ts'
import { buildPackages } from '../../build/build.ts'
import { docsSite } from '../../docs/site/docs-site.ts'
import { type BuildRecord, buildProgram } from '../../program/build.ts'
import { type Architecture, runtimeFor } from '../../program/runtime.ts'
import { PROGRAM, ROOT } from '../../test/programs.ts'
import { writeArchive } from './archive.ts'
import { sbomOf } from './sbom.ts'

/** `ratafia-VERSION-build.json`: what the files were built from, and with. */
export interface ReleaseRecord {
  readonly release: string
  /** With `-modified` if the checkout has changes. */
  readonly commit: string
  /** The commit's, in seconds since 1970. All files have this time. */
  readonly time: number
  readonly programs: readonly BuildRecord[]
  /** The first line that each tool prints as its version: another version can give other bytes. */
  readonly tools: Readonly<Record<string, string>>
}

export interface ReleaseOptions {
  /** Where to keep Debian's files for the image, for the next build; undefined keeps nothing. */
  readonly debian?: string | undefined
  /** Called with the name of each step. */
  readonly step: (name: string) => void
}

const ARCHITECTURES = ['x64', 'arm64'] as const
const DEBIAN = { x64: 'amd64', arm64: 'arm64' } as const
const TOOLS = ['npm', 'tar', 'xz', 'dpkg-deb', 'buildah']

/** Deletes `output`, and writes the files of the release and `SHA256SUMS` into it. Throws an Error if a tool fails. */
export async function buildReleaseFiles(output: string, { debian, step }: ReleaseOptions): Promise<void> {
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const work = mkdtempSync(join(dirname(output), 'work-'))
  const time = Number(run('git', 'show', '--no-patch', '--format=%ct', 'HEAD'))
  const named = (end: string): string => join(output, `ratafia-${RELEASE}${end}`)
  const packed = (end: string, directory: string, name: string, without: readonly string[] = []): void =>
    writeArchive({ output: named(end), directory, name, time, without })
  try {
    step('programs')
    const programs: BuildRecord[] = []
    for (const architecture of ARCHITECTURES) {
      programs.push(await buildProgram(programDirectory(architecture), architecture))
    }
    copyFileSync(sourceMap(), named('.map'))

    step('archives of the programs')
    const texts = join(work, 'texts')
    writeTexts(texts)
    for (const architecture of ARCHITECTURES) {
      const directory = join(work, architecture)
      cpSync(texts, directory, { recursive: true })
      for (const name of ['ratafia', 'licences.txt']) {
        copyFileSync(join(programDirectory(architecture), name), join(directory, name))
      }
      packed(`-linux-${architecture}.tar.xz`, directory, `ratafia-${RELEASE}-linux-${architecture}`)
    }

    step('Debian packages')
    for (const architecture of ARCHITECTURES) {
      const arch = DEBIAN[architecture]
      run('packaging/debian/build', '--arch', arch, '--program', programDirectory(architecture))
      // A forge can refuse ~, which Debian has in the versions of pre-releases.
      const built = `build/packages/ratafia_${RELEASE.replace('-', '~')}_${arch}.deb`
      copyFileSync(join(ROOT, built), join(output, `ratafia_${RELEASE}_${arch}.deb`))
    }

    step('image')
    const cache = debian === undefined ? [] : ['--debian', debian]
    run(
      'packaging/image/build',
      ...cache,
      '--output',
      named('.oci.tar'),
      ...ARCHITECTURES.map(programDirectory),
    )

    step('npm packages')
    // CI has checked the types: `npm run release` requires that it passed.
    const packages = buildPackages(ROOT, join(ROOT, 'build/npm'), { check: false })
    run(
      'npm',
      'pack',
      '--ignore-scripts',
      '--pack-destination',
      output,
      ...packages.map(({ directory }) => directory),
    )

    step('chart, documentation and bill of materials')
    // `helm package` names it as npm names the package ratafia. It leaves out what .helmignore lists.
    const ignored =
      readFileSync(join(ROOT, 'packaging/helm/ratafia/.helmignore'), 'utf8').match(/[^\n/]+/g) ?? []
    writeArchive({
      output: join(output, `ratafia-chart-${RELEASE}.tgz`),
      directory: join(ROOT, 'packaging/helm/ratafia'),
      name: 'ratafia',
      time,
      without: ignored,
    })
    const docs = join(work, 'docs')
    for (const [name, bytes] of docsSite()) write(join(docs, name), bytes)
    packed('-docs.tar.gz', docs, `ratafia-${RELEASE}-docs`)
    writeJson(named('.cdx.json'), sbomOf(time, versionsOfNode()))
    const [{ commit }] = programs as [BuildRecord]
    if (commit === null) throw new Error('This is not a Git repository.')
    const tools = Object.fromEntries(TOOLS.map((tool) => [tool, run(tool, '--version').split('\n')[0] ?? '']))
    writeJson(named('-build.json'), {
      release: RELEASE,
      commit,
      time,
      programs,
      tools,
    } satisfies ReleaseRecord)
    writeSums(output)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Where `npm run program` writes it. */
const programDirectory = (architecture: Architecture): string =>
  join(ROOT, architecture === process.arch ? 'build/program' : `build/program-${architecture}`)

/** Returns the path of the source map. Both programs contain the same bundle. */
function sourceMap(): string {
  const [path, other] = ARCHITECTURES.map((each) =>
    join(programDirectory(each), `ratafia-${RELEASE}.map`),
  ) as [string, string]
  if (!readFileSync(path).equals(readFileSync(other))) throw new Error(`${path} and ${other} differ.`)
  return path
}

/** Writes what an archive of the program contains besides the program and its licences. */
function writeTexts(directory: string): void {
  copyInto(directory, 'LICENSE')
  copyInto(directory, 'packaging/archive/README.md')
  for (const [shell, name] of Object.entries({
    bash: 'ratafia.bash',
    zsh: '_ratafia',
    fish: 'ratafia.fish',
  })) {
    write(join(directory, 'completions', name), run(process.execPath, PROGRAM, 'completion', shell))
  }
  write(join(directory, 'ratafia.1'), run(process.execPath, 'tools/docs/man.ts'))
  // The Debian package's, for a program that no package manager knows.
  for (const file of ['ratafia', 'ratafia.env', 'debian/ratafia.service']) {
    copyInto(join(directory, 'systemd'), join('packaging/debian', file))
  }
  for (const file of ['ratafia', 'ratafia.service']) {
    const path = join(directory, 'systemd', file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replaceAll(/\/usr\/(bin|lib)\/ratafia/g, '/usr/local/$1/ratafia'))
  }
}

/** Returns `process.versions` of the Node in the programs: it has one version for both processors. */
function versionsOfNode(): Readonly<Record<string, string>> {
  const runtime = runtimeFor(process.arch === 'arm64' ? 'arm64' : 'x64')
  try {
    return JSON.parse(run(runtime.node, '--print', 'JSON.stringify(process.versions)'))
  } finally {
    runtime.remove()
  }
}

/** Writes `SHA256SUMS` as sha256sum does, for all files in `directory`. */
function writeSums(directory: string): void {
  const lines = readdirSync(directory)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(directory, 'SHA256SUMS'), lines.join(''))
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

const writeJson = (path: string, content: unknown): void =>
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)

function copyInto(directory: string, path: string): void {
  mkdirSync(directory, { recursive: true })
  cpSync(join(ROOT, path), join(directory, path.slice(path.lastIndexOf('/') + 1)))
}

/** Runs a command in the checkout, and returns its standard output. */
function run(command: string, ...words: readonly string[]): string {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  return execFileSync(command, words, { cwd: ROOT, encoding: 'utf8', stdio: [...stdio], maxBuffer: 2 ** 26 })
}
