/** The commands of a page, in the order in which a reader types them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PageCommands {
  /** The blocks marked `sh`, joined. */
  readonly script: string
  /** The blocks marked `sh` that begin with `#!`, which are files. */
  readonly files: readonly string[]
}

/**
 * Returns the commands of a page. `page` is a path from the root of the checkout, and `section` one of its headings of
 * the second level (default: the whole page). Blocks without a language are ignored.
 */
export function commandsOf(page: string, section?: string): PageCommands {
  const whole = readFileSync(join(import.meta.dirname, '../..', page), 'utf8')
  const text = section === undefined ? whole : (whole.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  const isFile = (block: string) => block.startsWith('#!')
  return { script: blocks.filter((block) => !isFile(block)).join(''), files: blocks.filter(isFile) }
}
