#!/usr/bin/env node
// The program `ratafia`. Plain JavaScript that an old Node can read too, so that it can say what is wrong.

const [major = 0] = process.versions.node.split('.').map(Number)

// A reader that has gone away (`ratafia tokens list | head`) is no error of ours.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

if (major < 24) {
  process.stderr.write(
    `ratafia needs Node 24 or newer, and this is Node ${process.versions.node}: update Node.\n`,
  )
  process.exitCode = 1
} else {
  // Compiling the sources is most of what a short command takes. NODE_COMPILE_CACHE names another directory, and
  // NODE_DISABLE_COMPILE_CACHE turns it off.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  const { run } = await import('../src/start/run.ts')
  process.exitCode = await run(process.argv)
}
