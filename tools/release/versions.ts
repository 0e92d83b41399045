/** Every place that names the version of the release, and how to write a new one there. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Place {
  /** Pathspecs of Git, relative to the root of a checkout. */
  readonly files: readonly string[]
  /** Returns the text with `to` in place of `from`, which is unchanged if `from` does not occur. */
  readonly write: (text: string, from: string, to: string) => string
  /** Whether some of the files do not name the version. */
  readonly isSparse?: boolean
}

/** The only table of these places: a test looks for others in the whole checkout. */
export const PLACES: readonly Place[] = [
  { files: ['packages/server/src/start/release/release.ts'], write: forms("RELEASE = 'VERSION'") },
  { files: ['package.json', 'packages/*/package.json'], write: inManifest },
  { files: ['package-lock.json'], write: inLockFile },
  { files: ['packaging/compose.yaml'], write: forms('image: ratafia:VERSION') },
  {
    files: ['packaging/helm/ratafia/Chart.yaml'],
    write: forms('\nversion: VERSION', '\nappVersion: VERSION'),
  },
  // Names of files and images, with which commands in the documentation start.
  {
    files: [
      'README.md',
      'docs/*.md',
      'packaging/*.md',
      'packages/*.md',
      ':!docs/decisions',
      ':!docs/releasing.md',
    ],
    write: forms('ratafia-VERSION', 'ratafia_VERSION', 'ratafia:VERSION'),
    isSparse: true,
  },
]

/** Returns the paths of a place's files in the checkout at `root`. */
export const filesOf = ({ files }: Pick<Place, 'files'>, root: string): readonly string[] =>
  execFileSync('git', ['ls-files', '-z', '--', ...files], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '')

/** Writes `to` in place of `from` in the checkout at `root`. Throws an Error if a file does not name `from`. */
export function writeVersion(root: string, from: string, to: string): void {
  for (const place of PLACES) {
    const paths = filesOf(place, root)
    if (paths.length === 0) throw new Error(`${place.files.join(' ')} matches no file: correct ${TABLE}.`)
    for (const path of paths) {
      const text = readFileSync(join(root, path), 'utf8')
      const written = place.write(text, from, to)
      if (written === text && from !== to && !place.isSparse) {
        throw new Error(`${path} does not have the version ${from} where ${TABLE} expects it.`)
      }
      writeFileSync(join(root, path), written)
    }
  }
}

const TABLE = 'tools/release/versions.ts'

/** Each of these texts names the version, which is followed by nothing that could continue it. */
function forms(...texts: readonly string[]): Place['write'] {
  return (text, from, to) =>
    texts.reduce((written, form) => {
      const pattern = new RegExp(
        `${escaped(form.replace('VERSION', from))}(?![0-9]|\\.[0-9]|-[a-z]+\\.[0-9])`,
        'g',
      )
      return written.replace(pattern, () => form.replace('VERSION', to))
    }, text)
}

/** Returns the text for a pattern. Versions and forms have no other special characters. */
export const escaped = (text: string): string => text.replaceAll('.', '\\.')

interface Manifest {
  version?: string
  dependencies?: Record<string, string>
}

function inManifest(text: string, from: string, to: string): string {
  const manifest: Manifest = JSON.parse(text)
  writeInto(manifest, from, to)
  return toJson(manifest)
}

function inLockFile(text: string, from: string, to: string): string {
  const lock: Manifest & { packages: Record<string, Manifest> } = JSON.parse(text)
  writeInto(lock, from, to)
  for (const [path, manifest] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/')) writeInto(manifest, from, to)
  }
  return toJson(lock)
}

function writeInto(manifest: Manifest, from: string, to: string): void {
  if (manifest.version === from) manifest.version = to
  for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
    if (manifest.dependencies && name.startsWith('@ratafia/') && version === from)
      manifest.dependencies[name] = to
  }
}

/** The form that npm writes. */
const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
