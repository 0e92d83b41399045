// npm run program: builds the one-file program. See --help.

import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../test/programs.ts'
import { buildProgram, currentProgram } from './build.ts'

const HELP = `Usage: npm run program -- [options]

Builds the one-file program for Linux. Needs \`strip\` for the processor; tools/program/setup installs it on Debian.

Options:
  --arch <x64|arm64>    the processor that the program is for (default: this machine's)
  --output <directory>  where to write (default: build/program)
  --if-needed           keep a program that is there if it is of this commit, and the checkout has no changes
  --help                show this help
`

try {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', default: process.arch },
      output: { type: 'string', default: `${ROOT}/build/program` },
      'if-needed': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) process.stdout.write(HELP)
  else {
    const { arch, output } = values
    if (arch !== 'x64' && arch !== 'arm64') throw new Error(`--arch ${arch} is neither x64 nor arm64.`)
    const kept = values['if-needed'] ? currentProgram(output, arch) : undefined
    const { bytes, sha256 } = kept ?? (await buildProgram(output, arch))
    process.stdout.write(`${relative(process.cwd(), output)}/ratafia: ${bytes} bytes, SHA-256 ${sha256}\n`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
