#!/usr/bin/env node
// The program `ratafia`. Plain JavaScript that an old Node can read too, so that it can say what is wrong.

const [major = 0] = process.versions.node.split('.').map(Number)

// A reader that has gone away (`ratafia tokens list | head`) is not an error of ours.
process.stdout.on('error', (error) => {
  // The command says it itself.
  if (error.isHandled) return
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`ratafia: standard output cannot be written: ${error.code}.\n`)
  process.exit(1)
})

if (major < 24) {
  const installed = await newerNode()
  const advice =
    installed === undefined
      ? 'Update Node.'
      : `\`npm ci\` installed a newer one: run \`npx ratafia\` in ${installed}, or put ${installed}/node_modules/.bin first in PATH.`
  process.stderr.write(
    `ratafia needs Node 24 or newer, and this is Node ${process.versions.node}. ${advice}\n`,
  )
  process.exitCode = 1
} else {
  await keepCompiled()
  const { run } = await import('../src/start/run.ts')
  process.exitCode = await run(process.argv)
}

/** The directory whose packages include a newer Node, as a clone has after `npm ci`; undefined without one. */
async function newerNode() {
  const { existsSync } = await import('node:fs')
  const { dirname, join } = await import('node:path')
  const { fileURLToPath } = await import('node:url')
  let at = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(at, 'node_modules/.bin/node'))) {
    if (at === dirname(at)) return undefined
    at = dirname(at)
  }
  return at
}

/**
 * Keeps what Node has compiled, most of what a short command costs, in the user's own cache directory. Not in Node's
 * default below /tmp: another user could put their code there first. NODE_COMPILE_CACHE names another directory,
 * NODE_DISABLE_COMPILE_CACHE turns it off. Where nothing can be written, or others can write, Node goes on without.
 */
async function keepCompiled() {
  const { lstatSync, mkdirSync } = await import('node:fs')
  const { enableCompileCache } = await import('node:module')
  const { userInfo } = await import('node:os')
  const { isAbsolute, join } = await import('node:path')
  if (process.env.NODE_COMPILE_CACHE || process.env.NODE_DISABLE_COMPILE_CACHE) return
  try {
    // From the system, not from HOME: under sudo that may be another user's home.
    const { XDG_CACHE_HOME: given = '' } = process.env
    // As the XDG Base Directory Specification says: a relative path is ignored.
    const caches = isAbsolute(given) ? given : join(userInfo().homedir, '.cache')
    if (!isAbsolute(caches)) return
    const directory = join(caches, 'ratafia')
    // One level at a time: with `recursive` Node never ends where a file system answers ENOENT (/proc).
    for (const each of [caches, directory]) {
      try {
        mkdirSync(each, { mode: 0o700 })
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
    }
    // Whatever the variables say: what another user could have put there is not run.
    const { uid, mode } = lstatSync(directory)
    const isOwn = uid === process.getuid?.() && (mode & 0o022) === 0
    if (isOwn || process.platform === 'win32') enableCompileCache(directory)
  } catch {
    // Nothing can be written there; or, in a container, the user is a number without a name and a home.
  }
}
