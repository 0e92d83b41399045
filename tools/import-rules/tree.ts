// Reads the tree to check: every file of every package and tool, with the target of each import.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { parseFiles, type Use } from './parse.ts'
import { type Place, placeOf, TOOLS } from './places.ts'

/** The target of an import. `nothing`: a computed specifier, a missing file, or a subpath that is not exported. */
export type Target =
  | { readonly kind: 'ours'; readonly place: Place; readonly by: 'path' | 'name' }
  | { readonly kind: 'builtin' | 'external' | 'nothing'; readonly name: string }

interface ResolvedImport {
  readonly line: number
  readonly target: Target
  readonly typeOnly: boolean
}

interface SourceFile {
  readonly place: Place
  readonly imports: readonly ResolvedImport[]
  readonly uses: readonly Use[]
}

interface Package {
  readonly directory: string
  readonly name: string
  readonly exports: Readonly<Record<string, string>> | undefined
  readonly dependencies: ReadonlySet<string>
}

export interface Tree {
  /** The files of the packages. */
  readonly files: readonly SourceFile[]
  /** The files outside `packages/`. They are not part of the service, so only the rule about cycles applies to them. */
  readonly tools: readonly SourceFile[]
  /** The packages, by directory below `packages/`. */
  readonly packages: ReadonlyMap<string, Package>
}

/** Reads `packages/*` below `root` (absolute). Throws an Error for a package that the rules do not know. */
export function readTree(root: string): Tree {
  const packages = new Map(
    globSync('packages/*/package.json', { cwd: root }).map((path) => {
      const found = readPackage(root, posix.dirname(path))
      return [posix.basename(found.directory), found]
    }),
  )
  const paths = globSync('packages/*/{src,bin,test,examples}/**/*.{ts,js,mts,mjs}', { cwd: root }).sort()
  const tools = globSync(`{${TOOLS.join(',')}}/**/*.{ts,js,mjs}`, {
    cwd: root,
    exclude: (name) => name.split('/').some((part) => part.startsWith('.') || part === 'node_modules'),
  }).sort()
  const parsed = parseFiles(
    root,
    [...paths, ...tools].map((path) => `${root}/${path}`),
  )
  const read = (path: string): SourceFile => {
    const { imports, uses } = parsed.get(`${root}/${path}`) ?? { imports: [], uses: [] }
    const resolved = imports.map(({ line, specifier, typeOnly }) => ({
      line,
      typeOnly,
      target: resolve(root, path, specifier, [...packages.values()]),
    }))
    return { place: placeOf(path), imports: resolved, uses }
  }
  return { files: paths.map(read), tools: tools.map(read), packages }
}

function readPackage(root: string, directory: string): Package {
  const manifest = JSON.parse(readFileSync(`${root}/${directory}/package.json`, 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  return {
    directory,
    name: manifest.name,
    exports: manifest.exports,
    dependencies: new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })),
  }
}

function resolve(root: string, from: string, specifier: string | undefined, packages: Package[]): Target {
  if (specifier === undefined) return { kind: 'nothing', name: 'a computed name' }
  if (isBuiltin(specifier)) return { kind: 'builtin', name: `node:${specifier.replace(/^node:/, '')}` }
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier)
    if (!existsSync(`${root}/${path}`)) return { kind: 'nothing', name: `${specifier} (no such file)` }
    // A published package does not contain files outside packages/.
    const outside = !path.startsWith('packages/')
    if (outside && TOOLS.includes(from.split('/', 1)[0] ?? '')) {
      return TOOLS.includes(path.split('/', 1)[0] ?? '')
        ? { kind: 'ours', place: placeOf(path), by: 'path' }
        : { kind: 'external', name: path }
    }
    if (outside) return { kind: 'nothing', name: `${path} (outside packages/)` }
    return { kind: 'ours', place: placeOf(path), by: 'path' }
  }
  const [, name = specifier, rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? []
  const ours = packages.find((candidate) => candidate.name === name)
  if (ours === undefined) return { kind: 'external', name }
  // Node can import any path of a package without exports (the server), so the specifier is then a path.
  const path = ours.exports === undefined ? `.${rest}` : ours.exports[`.${rest}`]
  if (path === undefined) return { kind: 'nothing', name: `${specifier} (not in that package's exports)` }
  return { kind: 'ours', place: placeOf(posix.join(ours.directory, path)), by: 'name' }
}
