/**
 * Turns a package of the repository, which runs from sources, into the published one, which runs from compiled files.
 */
import { posix } from 'node:path'
import { REPOSITORY, repositoryUrl, sourceUrl } from '../repository.ts'

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
 * Returns the manifest to publish: exports lead to `dist/`, with their types; development dependencies are left out,
 * `files` names what the build writes, and the addresses of the project are added. `directory` is the package's path in
 * the repository. Throws a TypeError for an export that is not a source file below `./src/`.
 */
export function publishedManifest(manifest: Manifest, directory: string) {
  const { devDependencies: _devDependencies, exports, files: _files, ...kept } = manifest
  return {
    ...kept,
    ...(exports && { exports: publishedExports(manifest) }),
    files: [...(manifest.bin === undefined ? [] : ['bin']), 'dist'],
    author: 'The Ratafia contributors',
    repository: { type: 'git', url: repositoryUrl, directory },
    homepage: sourceUrl(`${directory}/README.md`),
    bugs: `${REPOSITORY}/issues`,
    publishConfig: { access: 'public', provenance: true },
  }
}

/** Returns the exports of a published package by subpath. Throws a TypeError, as {@link publishedManifest} does. */
export const publishedExports = ({ exports = {} }: Manifest): Readonly<Record<string, PublishedExport>> =>
  Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, publishedExport(path)]))

function publishedExport(path: string): PublishedExport {
  const [, stem] = /^\.\/src\/(.+)\.ts$/.exec(path) ?? []
  if (stem === undefined) throw new TypeError(`an export must be a file ./src/….ts, not ${path}`)
  return { types: `./dist/${stem}.d.ts`, default: `./dist/${stem}.js` }
}

/** A program (plain JavaScript) that imports `../src/x.ts` in the repository imports `../dist/x.js` when published. */
export function publishedProgram(source: string): string {
  return source.replaceAll(/'\.\.\/src\/([^']+)\.ts'/g, "'../dist/$1.js'")
}

/** Makes the relative links of a package's README absolute, because a registry shows it without the repository. */
export const publishedReadme = (markdown: string, directory: string): string =>
  markdown.replaceAll(/\]\((?!https?:|#)([^)#]+)/g, (_link, path: string) => {
    return `](${sourceUrl(posix.join(directory, path))}`
  })
