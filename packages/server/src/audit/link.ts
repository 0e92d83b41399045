/**
 * Links the entries of recent changes to the chain, one after the other, on any node. Changes do not link
 * their own entries, because all of them would wait for the end of the chain.
 */
import type { Stores } from '../stores.ts'
import type { AuditStore } from './audit-store.ts'
import { hashOf, type LinkedEntry } from './entry.ts'

/** Runs a transaction on the audit log only. */
type InAudit = <T>(work: (audit: AuditStore) => Promise<T>) => Promise<T>

declare module '../stores.ts' {
  interface Stores {
    readonly inAudit: InAudit
  }
}

/** How many entries one transaction links. */
const BATCH = 500

/** Links all entries and returns how many. Stops between two batches if `goOn` is false. */
export async function linkEntries(
  { audit, inAudit }: Stores,
  goOn: () => Promise<boolean> = async () => true,
): Promise<number> {
  let linked = 0
  for (;;) {
    if ((await audit.unlinked(1)).length === 0) return linked
    const batch = await inAudit(linkBatch)
    linked += batch
    if (batch < BATCH || !(await goOn())) return linked
  }
}

async function linkBatch(audit: AuditStore): Promise<number> {
  let { seq, hash: previousHash } = await audit.lockChain()
  // Read under the lock, so that the list has no entry that another node has linked.
  const linked = (await audit.unlinked(BATCH)).map((entry): LinkedEntry => {
    seq += 1
    const hash = hashOf(entry, { seq, previousHash })
    const link = { seq, previousHash, hash }
    previousHash = hash
    return { ...entry, ...link }
  })
  await audit.link(linked)
  return linked.length
}
