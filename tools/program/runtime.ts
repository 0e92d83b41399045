/** The Node that becomes the one-file program: the npm package that the lock file pins. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../test/programs.ts'

export type Architecture = 'x64' | 'arm64'

export interface Runtime {
  readonly version: string
  /** The path of the executable. */
  readonly node: string
  /** The text of Node's licence. */
  readonly licence: string
  /** Deletes what was downloaded. */
  remove(): void
}

/**
 * Returns Node for Linux on `architecture`. npm installs only that of this machine: the other is downloaded. Throws an
 * Error if its checksum is not that of package-lock.json.
 */
export function runtimeFor(architecture: Architecture): Runtime {
  const name = `node-linux-${architecture}`
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const { version, integrity }: { version: string; integrity: string } = packages[`node_modules/${name}`]
  const runtimeIn = (directory: string, remove: () => void): Runtime => ({
    version,
    node: join(directory, 'bin/node'),
    licence: readFileSync(join(directory, 'LICENSE'), 'utf8'),
    remove,
  })
  const installed = join(ROOT, 'node_modules', name)
  if (existsSync(installed)) return runtimeIn(installed, () => {})
  const downloads = mkdtempSync(join(tmpdir(), 'ratafia-node-'))
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', downloads], {
      cwd: ROOT,
      encoding: 'utf8',
    }),
  )
  const archive = join(downloads, filename)
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== integrity) throw new Error(`${filename} has the checksum ${found}, not ${integrity}`)
  execFileSync('tar', ['-xzf', archive, '-C', downloads])
  return runtimeIn(join(downloads, 'package'), () => rmSync(downloads, { recursive: true }))
}
