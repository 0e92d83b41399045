// npm run check:words [-- PATH…]: prints each passage with wording that CONTRIBUTING.md ("Words") refuses, below
// these paths alone if there are any; exits 1 if there is one.

import { resolve } from 'node:path'
import { check } from './check.ts'

const below = process.argv.slice(2)
const { files, findings } = check(resolve('.'))
const shown = findings.filter(
  (finding) => below.length === 0 || below.some((path) => finding.startsWith(path)),
)
for (const finding of shown) process.stdout.write(`${finding}\n\n`)
process.stdout.write(`${files} files: ${shown.length} findings\n`)
process.exitCode = shown.length === 0 ? 0 : 1
