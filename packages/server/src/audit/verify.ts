/** Verifies that the chain of the audit log is intact: no entry was changed, removed, reordered or inserted. */
import type { TransactionStores } from '../stores.ts'
import type { Chain } from './audit-store.ts'
import { hashOf, type LinkedEntry } from './entry.ts'

/** An entry known from elsewhere: from the output of an earlier verification. */
export interface Anchor {
  readonly seq: number
  readonly hash: string
}

export interface AuditVerdict {
  /** How many entries were checked and are intact. */
  readonly verified: number
  /** How many entries are not linked yet. Nothing protects them. */
  readonly unlinked: number
  /** The last intact entry, to pass to the next verification. `seq` is 0 if there is none. */
  readonly end: Anchor
  /** The first entry that is not intact. No entry after it is checked. */
  readonly broken: { readonly seq: number; readonly why: string } | undefined
}

/** Returns the anchor in a string `SEQ:HASH`; undefined for any other text. */
export function readAnchor(text: string): Anchor | undefined {
  const [, seq, hash] = /^(0|[1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  return hash === undefined ? undefined : { seq: Number(seq), hash }
}

export const anchorText = ({ seq, hash }: Anchor): string => `${seq}:${hash}`

interface VerifyAuditOptions {
  readonly expect?: Anchor | undefined
  /** Receives how many entries were checked, and how many there are. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

const PAGE = 1000

/** Verifies the whole chain, a page at a time, while it can grow. */
export async function verifyAudit(
  options: VerifyAuditOptions,
  stores: TransactionStores,
): Promise<AuditVerdict> {
  for (let chain = await stores.audit.chain(); ; ) {
    const verdict = await verifyFrom(chain, options, stores)
    if (!verdict.broken) return verdict
    // Retention may have removed its beginning in between. Check again from the new beginning.
    const now = await stores.audit.chain()
    if (now.baseSeq <= chain.baseSeq) return verdict
    chain = now
  }
}

async function verifyFrom(
  begin: Chain,
  { expect, onProgress }: VerifyAuditOptions,
  { audit }: TransactionStores,
): Promise<AuditVerdict> {
  let end: Anchor = { seq: begin.baseSeq, hash: begin.baseHash }
  const verdict = async (broken: AuditVerdict['broken']) => ({
    verified: end.seq - begin.baseSeq,
    unlinked: await audit.countUnlinked(),
    end,
    broken,
  })
  if (begin.baseSeq > 0 && !(await isRecorded(begin, audit))) {
    const why = 'it and earlier entries were removed, and no entry records this'
    return verdict({ seq: begin.baseSeq, why })
  }
  if (expect && expect.seq < begin.baseSeq) {
    const why = `entry ${expect.seq} was removed as configured: the chain begins after entry ${begin.baseSeq}`
    return verdict({ seq: expect.seq, why })
  }
  const isOther = (one: Anchor) => expect?.seq === one.seq && expect.hash !== one.hash
  const other = { seq: end.seq, why: 'its hash is not the expected one: the chain was rebuilt' }
  if (isOther(end)) return verdict(other)
  for (;;) {
    const page = await audit.linkedAfter(end.seq, PAGE)
    for (const entry of page) {
      const why = fault(entry, end)
      if (why !== undefined) return verdict({ seq: end.seq + 1, why })
      if (isOther(entry)) return verdict({ ...other, seq: entry.seq })
      end = { seq: entry.seq, hash: entry.hash }
    }
    const chain = await audit.chain()
    onProgress?.(end.seq - begin.baseSeq, chain.seq - begin.baseSeq)
    // The chain may have grown since the page was read.
    if (chain.seq > end.seq && (page.length > 0 || (await audit.linkedAfter(end.seq, 1)).length > 0)) continue
    if (chain.seq > end.seq) {
      return verdict({ seq: end.seq + 1, why: `it is missing: the chain ends with entry ${chain.seq}` })
    }
    if (chain.seq < end.seq || chain.hash !== end.hash) {
      return verdict({ seq: chain.seq + 1, why: 'it was added after the end of the chain' })
    }
    if (expect && expect.seq > end.seq) {
      return verdict({ seq: end.seq + 1, why: `it is missing, although entry ${expect.seq} is expected` })
    }
    return verdict(undefined)
  }
}

/** Whether the removal of the beginning is recorded. It adds an entry in the same transaction: see remove-old.ts. */
async function isRecorded({ baseSeq, baseHash }: Chain, audit: TransactionStores['audit']): Promise<boolean> {
  const said = await audit.list({ action: 'audit.remove', subject: String(baseSeq) }, { limit: 10 })
  return said.some(({ details }) => details.includes(`"hash":"${baseHash}"`))
}

function fault(entry: LinkedEntry, { seq, hash }: Anchor): string | undefined {
  if (entry.seq !== seq + 1) return `it is missing: entry ${entry.seq} comes after entry ${seq}`
  if (entry.previousHash !== hash) return 'it does not follow the previous entry'
  if (entry.hash !== hashOf(entry, entry)) return 'its content does not match its hash'
  return undefined
}
