// Links the runtime as node_modules/.bin/node: `postinstall` of a checkout. Plain JavaScript, for npm's own Node.
//
// npm before 11.6.2 makes this link and deletes it again, with those of the systems whose runtimes it left out.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const { npm_node_execpath: node, npm_execpath: npm } = process.env
const runtimes = Object.keys(optionalDependencies)
const { status } = spawnSync(node, [npm, 'rebuild', '--silent', ...runtimes], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
process.exitCode = status ?? 1
