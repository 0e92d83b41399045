/** The address of the repository, from package.json: the only place to change it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly version: string
  readonly repository: { readonly url: string }
}

const { version, repository }: Manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
)

/** The URL that Git clones. */
export const repositoryUrl: string = repository.url

/** The web page of the repository, without a trailing slash. */
export const REPOSITORY: string = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** The tag of this release. */
export const RELEASE_TAG = `v${version}`

/** Returns the web page of a file or folder of the repository at the tag of this release. */
export const sourceUrl = (path: string, isFolder = false): string =>
  `${REPOSITORY}/${isFolder ? 'tree' : 'blob'}/${RELEASE_TAG}/${path}`
