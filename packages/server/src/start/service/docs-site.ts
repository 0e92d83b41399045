/**
 * Finds the packed docs site of this program. The one-file program has it as an asset. The npm package and a checkout
 * have a file in `dist/`, next to the folder of bin/ratafia.js, whose path is the first argument of the process. A path
 * from `import.meta` would depend on how the modules are bundled, and a path in the working directory on where the
 * program was started.
 */
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DocsSite, readSite } from '../../http/description/docs-site.ts'
import { readAsset } from '../release/assets.ts'

/**
 * Resolves to undefined if the program was built without a site. `entry` is the path of bin/ratafia.js, which may be a
 * symbolic link, as in `node_modules/.bin`.
 */
export async function readDocsSite(
  entry: string | undefined = process.argv[1],
): Promise<DocsSite | undefined> {
  const inside = readAsset('docs-site.json')
  if (inside) return readSite(inside)
  try {
    return readSite(await readFile(join(dirname(await realpath(entry ?? '')), '../dist/docs-site.json')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
