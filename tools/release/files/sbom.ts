/** The bill of materials of a release, in CycloneDX's format: our packages, those of npm, Node, and what is in Node. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { RELEASE } from '../../../packages/server/src/start/release/release.ts'
import { shippedPackages } from '../../docs/licences.ts'
import { ROOT } from '../../test/programs.ts'
import { NODE_PARTS, type NodePart } from './node-parts.ts'

/** The parts of CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/) that this file uses. */
export interface Sbom {
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: string
  readonly serialNumber: string
  readonly metadata: { readonly timestamp: string; readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly Dependency[]
}

interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly cpe?: string
  readonly licenses?: readonly { readonly license: { readonly id: string } | { readonly name: string } }[]
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/**
 * Returns the bill of materials. `time` is the commit's, in seconds since 1970; `versions` is `process.versions` of the
 * Node in the program. The same arguments and lock file give the same result. Throws an Error for a part of Node that
 * {@link NODE_PARTS} does not list.
 */
export function sbomOf(time: number, versions: Readonly<Record<string, string>>): Sbom {
  const node = nodeComponents(versions)
  const [runtime] = node
  // The lock file has the packages for every system. With --omit=dev, npm leaves out those that development dependencies
  // need too, such as pg.
  const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  const npm: Sbom = JSON.parse(
    execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  )
  const shipped = new Set(shippedPackages().map(({ name, version }) => `${name}@${version}`))
  const isIncluded = (ref: string): boolean => shipped.has(ref) || isOurs(ref)
  const program: Component = {
    'bom-ref': `program/ratafia@${RELEASE}`,
    type: 'application',
    name: 'ratafia',
    version: RELEASE,
    purl: `pkg:generic/ratafia@${RELEASE}`,
    licenses: [{ license: { id: 'Apache-2.0' } }],
  }
  const sbom = {
    ...npm,
    serialNumber: '',
    metadata: { ...npm.metadata, timestamp: new Date(time * 1000).toISOString(), component: program },
    components: [
      ...npm.components.filter((component) => isIncluded(component['bom-ref'])).map(corrected),
      ...node,
    ],
    dependencies: [
      { ref: program['bom-ref'], dependsOn: [`ratafia@${RELEASE}`, runtime['bom-ref']] },
      ...npm.dependencies
        .filter(({ ref }) => isIncluded(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isIncluded) })),
      { ref: runtime['bom-ref'], dependsOn: node.slice(1).map((part) => part['bom-ref']) },
    ],
  }
  return { ...sbom, serialNumber: serialOf(JSON.stringify(sbom)) }
}

const isOurs = (ref: string): boolean => /^(ratafia|@ratafia\/[a-z]+)@/.test(ref)

/** npm names our packages by their directories, and does not know the newer name of openpgp's licence. */
function corrected(component: Component): Component {
  const ref = component['bom-ref']
  const name = ref.slice(0, ref.lastIndexOf('@'))
  return {
    ...component,
    ...(isOurs(ref) && { name }),
    ...(name === 'openpgp' && { licenses: [{ license: { id: 'LGPL-3.0-or-later' } }] }),
  }
}

/** Returns Node, and then its parts. */
function nodeComponents(versions: Readonly<Record<string, string>>): readonly [Component, ...Component[]] {
  const { node: version = '', modules: _abi, napi: _interface, ...others } = versions
  const parts = Object.entries(others).flatMap(([key, partVersion]) => {
    // Node lists some without a version when it was built without them.
    if (partVersion === '') return []
    const part = NODE_PARTS[key]
    if (part === undefined) {
      throw new Error(
        `Node contains ${key} ${partVersion}, which tools/release/files/node-parts.ts does not list.`,
      )
    }
    return [
      {
        'bom-ref': `node/${part.name}@${partVersion}`,
        type: 'library',
        version: partVersion,
        ...described(part, partVersion),
      },
    ]
  })
  const node = { name: 'node', licence: 'MIT', vendor: 'nodejs:node.js' }
  return [{ 'bom-ref': `node@${version}`, type: 'platform', version, ...described(node, version) }, ...parts]
}

/** Scanners for vulnerabilities look for `purl` or for `cpe`. */
function described({ name, licence, vendor }: NodePart, version: string) {
  // Builds of Node add their own suffix to the versions of some: 3.5.9+quic, 1.3.2.1-motley-456ae73.
  const [released = version] = version.split(/[-+]/)
  return {
    name,
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
    ...(vendor !== undefined && { cpe: `cpe:2.3:a:${vendor}:${released}:*:*:*:*:*:*:*` }),
    licenses: [{ license: licence === undefined ? { name: 'public domain' } : { id: licence } }],
  }
}

/** Returns a UUID of the content: version 8 of RFC 9562, "custom". */
function serialOf(content: string): string {
  const hash = createHash('sha256').update(content).digest()
  hash[6] = 0x80 | (Number(hash[6]) & 0x0f)
  hash[8] = 0x80 | (Number(hash[8]) & 0x3f)
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash.toString('hex')) ?? []
  return `urn:uuid:${groups.join('-')}`
}
