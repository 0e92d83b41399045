/** Writes docs/licences.md from package-lock.json: what an installation of Ratafia contains besides its own packages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableRow } from './table-row.ts'

const root = join(import.meta.dirname, '../..')
export const LICENCES_PAGE = join(root, 'docs/licences.md')

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

export interface Shipped {
  readonly name: string
  readonly version: string
  readonly licence: string
}

/** Every package that installing Ratafia without its development dependencies brings, in order of name and version. */
export function shippedPackages(): readonly Shipped[] {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const shipped = Object.entries(packages).flatMap(([place, { version, license, dev, link }]) => {
    const [, name] = /^(?:.*\/)?node_modules\/(.+)$/.exec(place) ?? []
    return name === undefined || dev || link ? [] : [{ name, version, licence: license ?? 'unknown' }]
  })
  const key = ({ name, version }: Shipped): string => `${name} ${version}`
  return [...new Map(shipped.map((one) => [key(one), one])).values()].toSorted((a, b) =>
    key(a) < key(b) ? -1 : 1,
  )
}

export function licencesPage(): string {
  const rows = shippedPackages().map(({ name, version, licence }) =>
    tableRow(`\`${name}\``, version, licence),
  )
  return `# Licences

<!-- Made by \`npm run docs:reference\`; a test compares. -->

Ratafia is licensed under the Apache License 2.0. This page lists the packages that an installation contains besides
Ratafia's own, with their licences, so that you can check them against your own rules. In a checkout,
\`npm sbom --omit dev --sbom-format spdx\` prints them as a software bill of materials; \`cyclonedx\` works too.

- All licences but one are permissive.
- \`openpgp\` is under the LGPL, version 3 or later. It is an unchanged package from the npm registry. Only commands that
  read a private key exported from GnuPG load it ([why](decisions/0017-openpgp-reads-armored-keys.md)).
- Development dependencies are not shipped. One of them, \`axe-core\`, is under the MPL 2.0; browser tests load it.
- The \`node-…\` packages are the Node.js runtime for each platform. A checkout uses them; the npm package \`ratafia\` does
  not contain them.

| package | version | licence |
|---|---|---|
${rows.join('\n')}
`
}
