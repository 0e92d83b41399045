/** An installation as a backup or a check finds it: only its database is opened. */
import { auditStore } from '../audit/audit-store.ts'
import { wholeDatabaseStore } from '../backup/whole-database-store.ts'
import type { Author } from '../change.ts'
import { checkupStore } from '../checkup/checkup-store.ts'
import { schemaCheckStore } from '../checkup/schema-check-store.ts'
import type { UnopenedInstallation } from '../cli/installation.ts'
import { systemClock } from '../clock.ts'
import { type Database, inSnapshot } from '../database/index.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import { recordingOn } from './changing.ts'

export function unopenedInstallation(database: Database, operator: Author): UnopenedInstallation {
  return {
    clock: systemClock,
    wholeDatabase: wholeDatabaseStore(database, (on) => ({
      ...recordingOn(on, systemClock, operator),
      sealed: sealedValueStore(on),
    })),
    atOneMoment: (work) =>
      inSnapshot(database, (query) =>
        work({
          rows: checkupStore({ query }),
          schema: schemaCheckStore({ query, kind: database.kind }),
          sealed: sealedValueStore({ query }),
          audit: auditStore({ query }),
        }),
      ),
  }
}
