// Links the runtime as node_modules/.bin/node: `postinstall` of a checkout. Plain JavaScript, for npm's own Node.
//
// npm before 11.6.2 makes this link and deletes it again, with those of the systems whose runtimes it left out.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const installed = Object.keys(optionalDependencies).filter((name) =>
  existsSync(new URL(`../../node_modules/${name}`, import.meta.url)),
)
if (installed.length > 0) {
  // Not npm's own Node: that can be the runtime of before, which npm has replaced.
  const words = [process.env['npm_execpath'], 'rebuild', '--loglevel=error', ...installed]
  const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  process.exitCode = status ?? 1
}
