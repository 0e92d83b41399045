import type { Place } from './places.ts'
import type { Finding } from './rule.ts'
import type { Tree } from './tree.ts'

/**
 * Finds import cycles among the sources of packages and tools. Type imports count, because files whose types form a
 * cycle cannot be understood separately. Each cycle is one finding: its first file by name, with the shortest path
 * back to that file.
 */
export function* findCycles({ files, tools }: Tree): Iterable<Finding> {
  const imports = new Map(
    [...files, ...tools]
      .filter(({ place }) => place.layer !== 'test')
      .map((file) => [
        file.place.path,
        file.imports.flatMap(({ line, target }) =>
          target.kind === 'ours' ? [{ line, path: target.place.path }] : [],
        ),
      ]),
  )
  const reported = new Set<string>()
  for (const start of [...imports.keys()].sort()) {
    if (reported.has(start)) continue
    const way = wayBack(start, imports)
    if (way === undefined) continue
    for (const path of way) reported.add(path)
    const line = imports.get(start)?.find(({ path }) => path === way[1])?.line ?? 1
    yield { path: start, line, what: `is in a cycle: ${way.join(' -> ')}` }
  }
}

/** Returns the shortest path from `start` back to `start` over at least one import (breadth first), with both ends. */
function wayBack(
  start: string,
  imports: ReadonlyMap<string, readonly { readonly path: string }[]>,
): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const path of queue) {
    for (const next of imports.get(path) ?? []) {
      if (next.path === start) return [...trace(path, start, cameFrom), start]
      if (cameFrom.has(next.path)) continue
      cameFrom.set(next.path, path)
      queue.push(next.path)
    }
  }
  return undefined
}

function trace(path: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  if (path === start) return [start]
  return [...trace(cameFrom.get(path) ?? start, start, cameFrom), path]
}

/**
 * Finds cycles of imports between the server's folders. A file directly in `src/` counts as a folder. Imports of `http`
 * by routes do not count, because a feature's routes are in its folder.
 */
export function* findFolderCycles({ files }: Tree): Iterable<Finding> {
  const sources = files.filter(({ place }) => place.package === 'server' && place.layer !== 'test')
  const between = sources.flatMap(({ place, imports }) =>
    imports.flatMap(({ line, target }) => {
      if (target.kind !== 'ours' || target.place.package !== 'server') return []
      const [from, to] = [folderOf(place), folderOf(target.place)]
      const isRoute = place.layer === 'routes' && target.place.layer === 'http'
      return from === to || isRoute ? [] : [{ path: place.path, line, from, to, target: target.place.path }]
    }),
  )
  const folders = new Map(
    [...new Set(between.map(({ from }) => from))].map((folder) => [
      folder,
      between.filter(({ from }) => from === folder).map(({ to, line }) => ({ path: to, line })),
    ]),
  )
  const reported = new Set<string>()
  for (const start of [...folders.keys()].sort()) {
    if (reported.has(start)) continue
    const way = wayBack(start, folders)
    if (way === undefined) continue
    for (const folder of way) reported.add(folder)
    const first = between.find(({ from, to }) => from === way[0] && to === way[1])
    if (first)
      yield { path: first.path, line: first.line, what: `is in a cycle of folders: ${way.join(' -> ')}` }
  }
}

const folderOf = ({ folder, path }: Place): string => (folder === '' ? path : folder)
