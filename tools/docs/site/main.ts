// npm run docs:site: writes the docs site into build/docs/, and into the file that a service in this checkout serves; with
// --output DIRECTORY, only into that. Exits with 1 if a page has a dead link.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { docsSite, docsSiteAsset } from './docs-site.ts'

const root = join(import.meta.dirname, '../../..')

function write(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}

try {
  const { output } = parseArgs({ options: { output: { type: 'string' } } }).values
  const directory = output ?? join(root, 'build/docs')
  const files = docsSite()
  rmSync(directory, { recursive: true, force: true })
  for (const [name, bytes] of files) write(join(directory, name), bytes)
  if (output === undefined) write(join(root, 'packages/server/dist/docs-site.json'), docsSiteAsset())
  process.stdout.write(`wrote ${files.size} files into ${relative(process.cwd(), directory)}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
