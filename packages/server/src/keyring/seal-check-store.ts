import type { Database } from '../database/index.ts'
import { KeyringError } from './errors.ts'
import { SEAL_CHECK_PURPOSE, type Sealer } from './sealing.ts'

const SEAL_CHECK_TEXT = Buffer.from('ratafia')

/**
 * Throws {@link KeyringError} `wrong-secret` if the keys in the database were sealed under a different secret
 * key. With `first`, this process can decide which secret that is, if no other has yet. Of two concurrent
 * processes with different secrets, one is refused.
 */
export async function checkSecret(
  database: Database,
  sealer: Sealer,
  { first }: { readonly first: boolean },
): Promise<void> {
  const present = await read(database)
  if (present === undefined && !first) return
  const sealed = present ?? (await readOrAdd(database, sealer.seal(SEAL_CHECK_PURPOSE, SEAL_CHECK_TEXT)))
  if (sealer.unseal(SEAL_CHECK_PURPOSE, sealed)?.equals(SEAL_CHECK_TEXT)) return
  throw new KeyringError(
    'wrong-secret',
    'The keys in this database are sealed under a different secret key. Set RATAFIA_SECRET_KEY (or the file that ' +
      'RATAFIA_SECRET_KEY_FILE names) to the one this database was set up with; nothing else opens them. While you ' +
      'change the secret key, put the old one into RATAFIA_PREVIOUS_SECRET_KEY.',
  )
}

async function read({ query }: Database): Promise<Uint8Array | undefined> {
  const row = await query.selectFrom('seal_check').select('sealed').where('id', '=', 1).executeTakeFirst()
  return row?.sealed
}

/** Returns the value that is stored afterwards, because another process may have been first. */
async function readOrAdd(database: Database, sealed: Uint8Array): Promise<Uint8Array> {
  await database.query
    .insertInto('seal_check')
    .values({ id: 1, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await read(database)) ?? sealed
}
