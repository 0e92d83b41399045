// npm run release:files: builds all files of a release. See --help.

import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../test/programs.ts'
import { buildReleaseFiles } from './release-files.ts'

const HELP = `Usage: npm run release:files -- [options]

Builds all files of a release, except the signature, into build/release/. The same commit, tools and Debian packages
give the same bytes. Needs tools/program/setup, packaging/debian/setup and packaging/image/setup.

Options:
  --allow-changes       build a checkout with changes that are not committed
  --debian <directory>  keep Debian's files for the image there, for the next build
  --help                show this help
`

try {
  const { values } = parseArgs({
    options: {
      'allow-changes': { type: 'boolean', default: false },
      debian: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) process.stdout.write(HELP)
  else {
    if (!values['allow-changes']) requireNoChanges()
    const output = join(ROOT, 'build/release')
    const debian = values.debian && resolve(values.debian)
    await buildReleaseFiles(output, { debian, step: (name) => process.stdout.write(`building: ${name}\n`) })
    process.stdout.write(`built the files of the release in build/release\n`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  // `parseArgs` throws a TypeError for unknown options.
  process.exitCode = error instanceof TypeError ? 2 : 1
}

/** Throws an Error that lists the changes of the checkout. */
function requireNoChanges(): void {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
  if (changes === '') return
  throw new Error(
    `The checkout has changes. Commit or remove them, or pass --allow-changes:\n${changes.trimEnd()}`,
  )
}
