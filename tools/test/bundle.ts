/**
 * Bundles the programs that tests start. A run starts hundreds of processes, and nearly all of the time of a start is
 * spent on loading 1,500 modules. Bundling takes a second, uses the current sources, and the bundle is removed after
 * the run.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { BUNDLE, CRASH_CHILD, PROGRAM, ROOT } from './programs.ts'

const MANIFEST = 'packages/server/package.json'

/** A change to a source file during bundling. */
export interface Replacement {
  /** Relative to the root of the checkout. */
  readonly file: string
  /** Must occur in the file exactly once. */
  readonly from: string
  readonly to: string
}

/** Bundles `programs` (default: {@link PROGRAM}) into `directory`. Throws if a string to replace is missing. */
export async function bundle(
  directory: string,
  { root = ROOT, programs = [PROGRAM], replacements = [] }: Bundling = {},
): Promise<void> {
  const replaced = new Set<Replacement>()
  await build({
    absWorkingDir: root,
    entryPoints: [...programs],
    outdir: directory,
    outbase: root,
    // The same depth as `start/release.ts`, which finds the manifest by a relative path.
    chunkNames: join(dirname(MANIFEST), 'src/start/[hash]'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // CommonJS libraries need `require`. The other name avoids a conflict with openpgp's own import.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)`,
    },
    plugins: [replacing(root, replacements, replaced)],
    logLevel: 'silent',
  })
  const missed = replacements.find((each) => !replaced.has(each))
  if (missed) throw new Error(`${missed.file} is not part of the program`)
  mkdirSync(join(directory, dirname(MANIFEST)), { recursive: true })
  copyFileSync(join(root, MANIFEST), join(directory, MANIFEST))
}

export interface Bundling {
  /** The root of the checkout with the sources. Default: this checkout. */
  readonly root?: string
  readonly programs?: readonly string[]
  readonly replacements?: readonly Replacement[]
}

/** Returns a plugin that applies `replacements`, and adds those that it has applied to `replaced`. */
function replacing(root: string, replacements: readonly Replacement[], replaced: Set<Replacement>): Plugin {
  return {
    name: 'replacing',
    setup({ onLoad }) {
      if (replacements.length === 0) return
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const here = replacements.filter(({ file }) => file === relative(root, path))
        if (here.length === 0) return undefined
        let contents = readFileSync(path, 'utf8')
        for (const each of here) {
          contents = replace(contents, each)
          replaced.add(each)
        }
        return { contents, loader: 'ts' }
      })
    },
  }
}

export function replace(text: string, { file, from, to }: Replacement): string {
  const times = text.split(from).length - 1
  if (times !== 1) throw new Error(`${file} contains the text to replace ${times} times, not once: ${from}`)
  return text.replace(from, () => to)
}

/** Bundles the programs that tests start until this process exits, and sets the path in the tests' environment. */
export async function bundleForTests(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-bundle-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  await bundle(directory, { programs: [PROGRAM, CRASH_CHILD] })
  process.env[BUNDLE] = directory
}
