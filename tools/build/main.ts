// npm run build: compiles the packages for publishing into build/npm. Exits with 1 if a source has errors.

import { join, relative } from 'node:path'
import { buildPackages } from './build.ts'

const root = join(import.meta.dirname, '../..')
try {
  for (const { name, directory } of buildPackages(root, join(root, 'build/npm'))) {
    process.stdout.write(`built ${name} in ${relative(root, directory)}\n`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
