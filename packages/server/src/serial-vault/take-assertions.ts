/** Imports the account and account-key assertions of a serial-vault whose chains reach a trusted root. */
import { AssertionError, decode, type UnverifiedAssertion } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../authority.ts'
import type { AssertionStore, StoredAssertion } from '../brands/trust/assertion-store.ts'
import { checkAssertions } from '../brands/trust/trust.ts'
import type { Changing } from '../change.ts'
import type { Clock } from '../clock.ts'
import { RequestError } from '../errors.ts'
import type { Stores } from '../stores.ts'
import type { Dump } from './read-dump.ts'

export interface HowToTake {
  /** The source in the audit log. */
  readonly source: string
  readonly dryRun: boolean
  readonly authority: Authority
}

interface TakenAssertions {
  readonly added: number
  readonly unchanged: number
  /** A sentence with the reason for each row that was not imported. */
  readonly skipped: readonly string[]
}

/**
 * Imports accounts first, because their keys refer to them. Checks each chain up to a root, including through
 * assertions that were already imported. Throws `permission-denied`.
 */
export async function takeAssertions(
  { accounts, keypairs }: Dump,
  { source, dryRun, authority }: HowToTake,
  stores: Stores,
): Promise<TakenAssertions> {
  requireForAll(authority, 'roles:manage')
  const change = stores.changeBy(authority.author)
  const taken = new Map<string, Uint8Array>()
  const assertions: AssertionStore = {
    ...stores.assertions,
    find: async (type, primaryKey) =>
      taken.get(`${type}/${primaryKey}`) ?? stores.assertions.find(type, primaryKey),
  }
  const skipped: string[] = []
  let added = 0
  let unchanged = 0
  const wanted = [
    ...accounts.map((row) => ({ row, type: 'account' })),
    ...keypairs.map((row) => ({ row, type: 'account-key' })),
  ] as const
  for (const { row, type } of wanted) {
    const { assertion: text } = row.fields
    const whose = row.fields['authority_id'] ?? '(no account)'
    const what = `${row.place}: the ${type} of ${whose}`
    if (!text) {
      // The models that need a key without an assertion report it.
      if (type === 'account')
        skipped.push(`${what} has no assertion. Add it with the brand: \`ratafia brands add\`.`)
      continue
    }
    const assertion = readOne(text)
    if (typeof assertion === 'string' || assertion.type !== type) {
      const why = typeof assertion === 'string' ? assertion : `it is a ${assertion.type}`
      skipped.push(`${what} cannot be imported: ${why}.`)
      continue
    }
    try {
      const rows = await checkAssertions([assertion], { ...stores, assertions })
      for (const one of rows) taken.set(`${one.type}/${one.primaryKey}`, one.encoded)
      if (rows.length === 0) unchanged++
      else added++
      if (!dryRun && rows.length > 0) await store(rows, source, { change, clock: stores.clock })
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      skipped.push(`${what} is not imported: ${error.message}`)
    }
  }
  return { added, unchanged, skipped }
}

function store(
  rows: readonly StoredAssertion[],
  source: string,
  { change, clock }: { readonly change: Changing; readonly clock: Clock },
): Promise<void> {
  return change(async ({ assertions, record }) => {
    await assertions.put(rows, clock())
    for (const { type, primaryKey, revision } of rows) {
      const details = { revision, from: source }
      await record({ action: 'assertion.add', subject: `${type}/${primaryKey}`, details })
    }
  })
}

/** Returns the assertion, or why it can't be read. */
function readOne(text: string): UnverifiedAssertion | string {
  try {
    return decode(text.replaceAll('\r\n', '\n'))
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
}
