#!/usr/bin/env node
// The program `ratafia`. It is plain JavaScript, so that an old Node can run it far enough to report what is
// wrong.

const [major = 0] = process.versions.node.split('.').map(Number)

// A reader that stops early (`ratafia tokens list | head`) does not make the command fail.
process.stdout.on('error', (error) => {
  // The command reports it itself.
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
      : `\`npm ci\` installed a newer one: run \`npx --no-install ratafia\` in ${installed}, or put ${installed}/node_modules/.bin first in PATH.`
  process.stderr.write(
    `ratafia needs Node 24 or newer, and this is Node ${process.versions.node}. ${advice}\n`,
  )
  process.exitCode = 1
} else {
  await keepCompiled()
  const { run } = await import('../src/start/run.ts')
  process.exitCode = await run(process.argv)
}

/** Returns the directory whose packages include a newer Node, as a clone has after `npm ci`, or undefined. */
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
 * Keeps compiled code in the user's own cache directory: compiling is most of the cost of a short command.
 * Node's default below /tmp is not safe, because another user could put their code there first.
 * NODE_COMPILE_CACHE names another directory, and NODE_DISABLE_COMPILE_CACHE turns the cache off. If the
 * directory is not writable, or if others can write to it, Node runs without a cache.
 */
async function keepCompiled() {
  const { lstatSync, mkdirSync } = await import('node:fs')
  const { enableCompileCache } = await import('node:module')
  const { isSea } = await import('node:sea')
  const { userInfo } = await import('node:os')
  const { isAbsolute, join } = await import('node:path')
  // The one-file program contains its compiled code.
  if (isSea() || process.env.NODE_COMPILE_CACHE || process.env.NODE_DISABLE_COMPILE_CACHE) return
  try {
    // The home comes from the system: under sudo, HOME may be another user's.
    const { XDG_CACHE_HOME: given = '' } = process.env
    // The XDG Base Directory Specification has relative paths ignored.
    const caches = isAbsolute(given) ? given : join(userInfo().homedir, '.cache')
    if (!isAbsolute(caches)) return
    const directory = join(caches, 'ratafia')
    // Creates one level at a time: with `recursive`, Node loops forever where a file system answers ENOENT
    // (/proc).
    for (const each of [caches, directory]) {
      try {
        mkdirSync(each, { mode: 0o700 })
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
    }
    // Whatever the variables name, never run code that another user could have put there.
    const { uid, mode } = lstatSync(directory)
    const isOwn = uid === process.getuid?.() && (mode & 0o022) === 0
    if (isOwn || process.platform === 'win32') enableCompileCache(directory)
  } catch {
    // The directory is not writable, or the user of a container is a number without a name and a home.
  }
}
