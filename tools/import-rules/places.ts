// Where a file stands in the design: which package, which layer of the server, which folder.

/**
 * - `core`, `client`, `api`: any source of such a package.
 * - `routes`, `store`, `operation`: a file in one of the server's feature folders (or the keyring's store).
 * - `shared`: what stands beside start.ts and belongs to no folder: errors.ts, clock.ts.
 * - `workspace`: workspace.ts, the type of what start.ts builds.
 * - `test`: tests, their support, and examples. They may look behind every layer of their own package.
 */
export type Layer =
  | 'api'
  | 'bin'
  | 'cli'
  | 'client'
  | 'config'
  | 'core'
  | 'database'
  | 'http'
  | 'keyring'
  | 'operation'
  | 'routes'
  | 'shared'
  | 'start'
  | 'store'
  | 'telemetry'
  | 'test'
  | 'web'
  | 'workers'
  | 'workspace'

export interface Place {
  /** With forward slashes, from the root of the tree: `packages/server/src/tokens/exchange.ts`. */
  readonly path: string
  /** The directory below `packages/`. */
  readonly package: string
  readonly layer: Layer
  /** The first folder below `src/`, or '' for a file that stands in `src/` itself. */
  readonly folder: string
}

const PACKAGES: ReadonlyMap<string, Layer | 'server'> = new Map([
  ['api', 'api'],
  ['assertions', 'core'],
  ['client', 'client'],
  ['macaroon', 'core'],
  ['server', 'server'],
])

/** The server's folders that are no feature. Every other folder is one. */
const FOLDERS: ReadonlyMap<string, Layer> = new Map([
  ['cli', 'cli'],
  ['database', 'database'],
  ['http', 'http'],
  ['keyring', 'keyring'],
  ['telemetry', 'telemetry'],
  ['web', 'web'],
  ['workers', 'workers'],
])

/** The files in the server's `src/` itself that are more than what every layer may import. */
const BESIDE_START: ReadonlyMap<string, Layer> = new Map([
  ['config.ts', 'config'],
  ['start.ts', 'start'],
  ['workspace.ts', 'workspace'],
])

/**
 * Says where `path` stands. Throws an Error for a package that the design does not know: such a package needs
 * a row in this file, and rules.
 */
export function placeOf(path: string): Place {
  const [, directory = '', top, ...inside] = path.split('/')
  const layer = PACKAGES.get(directory)
  if (layer === undefined) {
    throw new Error(`packages/${directory} has no row in tools/import-rules/places.ts, so no rule covers it`)
  }
  const folder = top === 'src' && inside.length > 1 ? (inside[0] ?? '') : ''
  const place = { path, package: directory, folder }
  if (path.endsWith('.test.ts') || top === 'test' || top === 'examples') return { ...place, layer: 'test' }
  return { ...place, layer: layer === 'server' ? serverLayer(top, folder, inside.at(-1) ?? '') : layer }
}

function serverLayer(top: string | undefined, folder: string, file: string): Layer {
  if (top === 'bin') return 'bin'
  if (folder === '') return BESIDE_START.get(file) ?? 'shared'
  const layer = FOLDERS.get(folder)
  if (file.endsWith('-store.ts') && (layer === undefined || layer === 'keyring')) return 'store'
  if (layer !== undefined) return layer
  return file === 'routes.ts' || file.endsWith('-routes.ts') ? 'routes' : 'operation'
}
