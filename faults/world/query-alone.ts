/** Runs a statement on its own connection. */
import pg from 'pg'

/** Connects, runs the statement and disconnects. Throws the errors of `pg`. */
export async function queryAlone(
  server: pg.ClientConfig,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(server)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
