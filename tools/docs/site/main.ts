// npm run docs:site: writes the docs site into build/docs/, and into the file that a service in this checkout serves.
// Exits with 1 if a page has a dead link.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { docsSite, docsSiteAsset } from './docs-site.ts'

const root = join(import.meta.dirname, '../../..')

function write(path: string, bytes: Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), bytes)
}

try {
  const files = docsSite()
  rmSync(join(root, 'build/docs'), { recursive: true, force: true })
  for (const [name, bytes] of files) write(join('build/docs', name), bytes)
  write('packages/server/dist/docs-site.json', docsSiteAsset())
  process.stdout.write(`wrote ${files.size} files into build/docs\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
