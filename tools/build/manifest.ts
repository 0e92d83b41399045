// A package's package.json in the repository runs from sources; the published one runs from compiled files.

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The target of an export or a program of a published package. */
interface PublishedExport {
  readonly types: string
  readonly default: string
}

/**
 * The manifest to publish: exports lead to `dist/`, with their types; development dependencies are left out, and
 * `files` names what the build writes. Throws a TypeError for an export that is not a source file below `./src/`.
 */
export function publishedManifest(manifest: Manifest) {
  const { devDependencies: _devDependencies, exports = {}, files: _files, ...kept } = manifest
  const published = Object.entries(exports).map(([name, path]) => [name, publishedExport(path)] as const)
  return {
    ...kept,
    ...(published.length > 0 && { exports: Object.fromEntries(published) }),
    files: [...(manifest.bin === undefined ? [] : ['bin']), 'dist'],
  }
}

function publishedExport(path: string): PublishedExport {
  const [, stem] = /^\.\/src\/(.+)\.ts$/.exec(path) ?? []
  if (stem === undefined) throw new TypeError(`an export has to be a file ./src/….ts, not ${path}`)
  return { types: `./dist/${stem}.d.ts`, default: `./dist/${stem}.js` }
}

/** A program (plain JavaScript) that imports `../src/x.ts` in the repository imports `../dist/x.js` when published. */
export function publishedProgram(source: string): string {
  return source.replaceAll(/'\.\.\/src\/([^']+)\.ts'/g, "'../dist/$1.js'")
}
