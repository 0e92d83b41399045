// Determines a file's place in the design: its package, its layer in the server, its folder.

/**
 * The layer of a file.
 *
 * - `core`, `api`: any source of such a package.
 * - `routes`, `store`, `operation`: a file in one of the server's feature folders (or the keyring's store).
 * - `remembered`: `remembered-<nouns>.ts`, a store whose results a node caches while it receives change notifications.
 * - `installation`: `src/installation.ts`, the object that `start/` builds for commands.
 * - `shared`: any other file directly in the server's `src/`, or in `src/addresses/`, `src/limits/`, `src/text/` or
 *   `src/tls/`, which every layer may import: errors.ts, clock.ts.
 * - `tool`: a file outside `packages/`, in one of the {@link TOOLS}. Its package is ''.
 * - `test`: tests, their support, and examples. They may import from every layer of their own package.
 */
export type Layer =
  | 'api'
  | 'bin'
  | 'cli'
  | 'config'
  | 'core'
  | 'database'
  | 'demo'
  | 'files'
  | 'http'
  | 'installation'
  | 'keyring'
  | 'operation'
  | 'remembered'
  | 'routes'
  | 'shared'
  | 'start'
  | 'store'
  | 'telemetry'
  | 'test'
  | 'tool'
  | 'web'
  | 'workers'

export interface Place {
  /** Relative to the root of the tree, with forward slashes: `packages/server/src/tokens/exchange.ts`. */
  readonly path: string
  /** The directory below `packages/`. */
  readonly package: string
  readonly layer: Layer
  /** The first folder below `src/`, at any depth: `devices` for `src/devices/sessions/`; '' for `src/` itself. */
  readonly folder: string
}

/** The folders outside `packages/` whose sources are checked for cycles. */
export const TOOLS: readonly string[] = ['benchmarks', 'examples', 'faults', 'interop', 'packaging', 'tools']

const PACKAGES: ReadonlyMap<string, Layer | 'server'> = new Map([
  ['api', 'api'],
  ['assertions', 'core'],
  ['macaroon', 'core'],
  ['server', 'server'],
])

/** The server's folders that are not features. All others are. */
const FOLDERS: ReadonlyMap<string, Layer> = new Map([
  ['addresses', 'shared'],
  ['cli', 'cli'],
  ['config', 'config'],
  ['database', 'database'],
  ['demo', 'demo'],
  ['files', 'files'],
  ['http', 'http'],
  ['keyring', 'keyring'],
  ['limits', 'shared'],
  ['start', 'start'],
  ['telemetry', 'telemetry'],
  ['text', 'shared'],
  ['tls', 'shared'],
  ['web', 'web'],
  ['workers', 'workers'],
])

/** Returns the place of `path`. Throws an Error for an unknown package, which needs a row in this file, and rules. */
export function placeOf(path: string): Place {
  const [root = '', directory = '', top, ...inside] = path.split('/')
  if (TOOLS.includes(root)) return { path, package: '', folder: '', layer: 'tool' }
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
  if (folder === '') return file === 'installation.ts' ? 'installation' : 'shared'
  const layer = FOLDERS.get(folder)
  if (file.endsWith('-store.ts') && (layer === undefined || layer === 'keyring')) return 'store'
  if (layer !== undefined) return layer
  if (file.startsWith('remembered-')) return 'remembered'
  return file === 'routes.ts' || file.endsWith('-routes.ts') ? 'routes' : 'operation'
}
