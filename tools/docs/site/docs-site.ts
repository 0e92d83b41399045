/** The docs site of this checkout, with the pages of its HTTP API. */
import { join } from 'node:path'
import { packSite } from '../../../packages/server/src/http/description/docs-site.ts'
import { apiPages } from './openapi.ts'
import { buildSite } from './site.ts'

const ROOT = join(import.meta.dirname, '../../..')

let site: ReadonlyMap<string, Buffer> | undefined

/** Returns the files of the site by path, and builds them only once. Throws an Error that lists the dead links. */
export function docsSite(): ReadonlyMap<string, Buffer> {
  site ??= buildSite(ROOT, apiPages())
  return site
}

/**
 * Returns the site as the one file that the service reads: the asset `docs-site.json` of the one-file program, and
 * `dist/docs-site.json` of the npm package. The same checkout gives the same bytes.
 */
export const docsSiteAsset = (): Buffer => packSite(docsSite())
