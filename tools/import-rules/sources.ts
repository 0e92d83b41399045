// Parses source files with TypeScript's own parser.

import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** Project configurations, by path. They exist only in memory. */
const configs = new Map<string, string>()

// One compiler process for all calls. It is not closed before this process exits, because that may print errors.
const api = new API({
  fs: {
    readFile: (path) => configs.get(path),
    fileExists: (path) => configs.has(path) || undefined,
  },
})

/**
 * Parses `files` (absolute paths below `root`). Returns an entry for each file, under the given path. Does not report
 * syntax errors, which the compiler does: the tree then has the parts that can be read. A file is read once per
 * process.
 */
export function parseSources(root: string, files: readonly string[]): ReadonlyMap<string, SourceFile> {
  // The compiler process caches configurations by path.
  const config = `${root}/tsconfig.sources-${configs.size}.json`
  // Nothing is resolved or type-checked, so a tree needs no node_modules.
  const compilerOptions = { noResolve: true, noLib: true, types: [], allowJs: true, noEmit: true }
  configs.set(config, JSON.stringify({ compilerOptions, files }))
  const snapshot = api.updateSnapshot({ openProjects: [config] })
  const program = snapshot.getProject(config)?.program
  const sources = files.map((file): [string, SourceFile] => {
    const source = program?.getSourceFile(file)
    if (source === undefined) throw new Error(`${file} could not be parsed`)
    return [file, source]
  })
  snapshot.dispose()
  return new Map(sources)
}
