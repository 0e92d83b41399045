/** Collects the licences of everything inside the one-file program. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../test/programs.ts'

/** The licences that packages inside the one-file program may have. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'LGPL-3.0+',
  'MIT',
  'MIT-0',
])

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author?: string | { readonly name: string }
}

const OURS = `Ratafia is licensed under the Apache License 2.0. This file contains all of its packages, and Node.js.
Their licences follow.

openpgp is under the GNU Lesser General Public License, version 3 or later. Its source is the unchanged npm package. To
use another version of it, change package-lock.json in the sources of Ratafia, and run \`npm ci\` and \`npm run program\`.
`

/**
 * Returns the licences of Ratafia, of the npm packages in `packages` (directories relative to the checkout), and of
 * Node, whose own file covers V8, OpenSSL, SQLite, ICU and everything else inside. Throws an Error for a package with
 * another licence than those that are allowed, or without a text.
 */
export function licencesOf(packages: readonly string[], nodeLicence: string): string {
  const sections = packages.map((directory) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8'))
    const { name, version, license } = manifest
    if (!ALLOWED.has(license)) throw new Error(`${name} has a licence that is not allowed: ${license}`)
    return sectionOf(`${name} ${version} (${license})`, textOf(join(ROOT, directory), manifest))
  })
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8')
  return [
    OURS,
    sectionOf('Ratafia (Apache-2.0)', own),
    ...sections,
    sectionOf('Node.js, and what it contains', nodeLicence),
  ].join('\n')
}

const sectionOf = (title: string, text: string): string =>
  `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}\n`

/** Returns the text of a package's licence: its own file, the part of its README, or the standard text of the MIT. */
function textOf(directory: string, { name, license, author }: Manifest): string {
  const files = readdirSync(directory)
  const own = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).toSorted()
  if (own.length > 0)
    return own.map((file) => readFileSync(join(directory, file), 'utf8').trim()).join('\n\n')
  const readme = files.find((file) => /^readme/i.test(file))
  const [, inReadme] =
    /^## licen[cs]e\n+([\s\S]*copyright[\s\S]*)$/im.exec(
      readme === undefined ? '' : readFileSync(join(directory, readme), 'utf8'),
    ) ?? []
  if (inReadme !== undefined) return inReadme
  const holder = typeof author === 'string' ? author : author?.name
  if (license === 'MIT' && holder !== undefined) return `Copyright (c) ${holder}\n\n${MIT}`
  throw new Error(`${name} has no text of its licence`)
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
