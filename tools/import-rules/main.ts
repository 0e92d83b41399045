// npm run check:imports [-- DIRECTORY]: prints each import that breaks an import rule, and exits with 1 if there is
// one.

import { resolve } from 'node:path'
import { check } from './check.ts'
import { RULES } from './rules.ts'

const { files, findings } = check(resolve(process.argv[2] ?? '.'))
for (const finding of findings) process.stdout.write(`${finding}\n\n`)
process.stdout.write(`${files} files against ${RULES.length} rules: ${findings.length} findings\n`)
process.exitCode = findings.length === 0 ? 0 : 1
