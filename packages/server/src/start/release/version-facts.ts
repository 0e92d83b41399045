/** The output of `ratafia version --json`. */
import { migrations } from '../../database/schema/migrations/index.ts'
import { builtFrom } from './build.ts'
import { RELEASE } from './release.ts'
import type { RunningAs } from './running-as.ts'

export interface VersionFacts {
  readonly release: string
  /** The commit that the one-file program was built from; null in other installations. */
  readonly commit: string | null
  readonly node: string
  readonly openssl: string | null
  readonly sqlite: string | null
  /** Operating system and processor, such as `linux-x64`. */
  readonly platform: string
  readonly kind: RunningAs['kind']
  /** The name of the newest migration. */
  readonly schema: string | null
}

export function versionFacts(kind: RunningAs['kind']): VersionFacts {
  const { node, openssl = null, sqlite = null } = process.versions
  return {
    release: RELEASE,
    commit: builtFrom(),
    node,
    openssl,
    sqlite,
    platform: `${process.platform}-${process.arch}`,
    kind,
    schema: migrations.at(-1)?.name ?? null,
  }
}
