/** Releases to run: this checkout, the release after it, or this checkout with a planted bug. */
import { bundle, type Replacement } from '../../tools/test/bundle.ts'
import { bundled, PROGRAM } from '../../tools/test/programs.ts'

export interface Release {
  /** The file of its program. */
  readonly program: string
}

export const thisRelease = (): Release => ({ program: bundled(PROGRAM) })

/** Bundles the program of this checkout into `directory`, changed. Throws if a replaced text is no longer there. */
export async function plantedRelease(
  directory: string,
  replacements: readonly Replacement[],
): Promise<Release> {
  await bundle(directory, { replacements })
  return { program: bundled(PROGRAM, directory) }
}

/** The migration of {@link nextRelease} that this checkout does not know. */
export const NEXT_MIGRATION = '9000-next'

/**
 * As any release changes the schema of the one before: columns in tables that every request reads or writes, an index,
 * and a table of its own.
 */
const NEXT_STATEMENTS: readonly string[] = [
  'alter table account add column next text',
  'alter table token_session add column next text',
  'alter table device add column next text',
  'create index token_session_next on token_session (next) where next is not null',
  'create table next_one (id text not null constraint next_one_id_key primary key)',
]

/** What it changes in this checkout. */
export const NEXT_RELEASE: Replacement = {
  file: 'packages/server/src/database/schema/migrations/index.ts',
  from: '// A new one comes here.',
  to: `{ name: '${NEXT_MIGRATION}', statements: () => ${JSON.stringify(NEXT_STATEMENTS)} },`,
}

/** Bundles a release that comes after this one into `directory`: this checkout with one more migration. */
export const nextRelease = (directory: string): Promise<Release> => plantedRelease(directory, [NEXT_RELEASE])
