/** Records the statements that this process sends to PostgreSQL. */
import { mock } from 'node:test'
import pg from 'pg'
import type { TestService } from './service.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Runs `work`, and returns the statements about any of these tables that are sent meanwhile, in order. */
export async function recordStatements(
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<readonly Statement[]> {
  const recorded: Statement[] = []
  const { query } = pg.Client.prototype
  const recording = mock.method(
    pg.Client.prototype,
    'query',
    function (this: pg.Client, ...given: Parameters<typeof query>) {
      const [statement] = given as unknown as [Partial<Statement>]
      const { text, values = [] } = statement
      if (text !== undefined && isAbout(tables, text)) recorded.push({ text, values })
      return Reflect.apply(query, this, given)
    },
  )
  try {
    await work()
  } finally {
    recording.mock.restore()
  }
  return recorded
}

/** Stops the service from storing device activity, which it does every ten seconds, even while a test records. */
export function stopStoringActivity({ installation }: Pick<TestService, 'installation'>): void {
  mock.method(installation.activities, 'saw', async () => {})
}

/** Whether a statement names one of these tables. */
export const isAbout = (tables: readonly string[], text: string): boolean =>
  tables.some((table) => new RegExp(`\\b${table}\\b`).test(text))
