/** Bundles the program and all of its packages into one file of JavaScript. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { PROGRAM, ROOT } from '../test/programs.ts'

export interface Bundle {
  /** The directories of the npm packages inside, relative to the checkout, sorted. */
  readonly packages: readonly string[]
}

/** The names of the bundle and of its source map. */
export const SCRIPT = 'ratafia.mjs'
export const MAP = `${SCRIPT}.map`

/**
 * Finds only modules of Node itself. With `createRequire`, a package in a `node_modules` folder next to or above the
 * executable would run inside the service: `pg` looks for `pg-native`.
 */
const REQUIRE = `const require = (name) => {
  const found = process.getBuiltinModule(name)
  if (found !== undefined) return found
  throw Object.assign(new Error(\`Cannot find module '\${name}'\`), { code: 'MODULE_NOT_FOUND' })
}`

/** Writes {@link SCRIPT} and {@link MAP} into `directory`. The same sources give the same bytes in any directory. */
export async function bundleProgram(directory: string): Promise<Bundle> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [PROGRAM],
    outfile: join(directory, SCRIPT),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    minifyWhitespace: true,
    minifySyntax: true,
    // Class names are part of the output: `UsageError` decides on exit codes.
    keepNames: true,
    // `ratafia licences` prints them.
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    metafile: true,
    banner: { js: REQUIRE },
    logLevel: 'silent',
  })
  // esbuild writes paths relative to `directory`.
  const map = JSON.parse(readFileSync(join(directory, MAP), 'utf8'))
  map.sources = map.sources.map((source: string) => relative(ROOT, resolve(directory, source)))
  writeFileSync(join(directory, MAP), JSON.stringify(map))
  const packages = Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[0] ?? [])
  return { packages: [...new Set(packages)].toSorted() }
}

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
