/** The release of this software, from the manifest of its own package. */
import { readFileSync } from 'node:fs'

export const RELEASE: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
