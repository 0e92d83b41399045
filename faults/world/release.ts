/** The releases that nodes run: this checkout, the release after it or before it, or this checkout with a planted bug. */
import { inCheckoutOf } from '../../tools/release/checkouts.ts'
import { bundle, type Replacement } from '../../tools/test/bundle.ts'
import { bundled, PROGRAM } from '../../tools/test/programs.ts'

export interface Release {
  /** The path of its program. */
  readonly program: string
}

export const thisRelease = (): Release => ({ program: bundled(PROGRAM) })

/**
 * Bundles a changed program of this checkout into `directory`, or other files of it. Throws if a string to replace is
 * missing.
 */
export async function plantedRelease(
  directory: string,
  replacements: readonly Replacement[],
  programs: readonly string[] = [PROGRAM],
): Promise<Release> {
  await bundle(directory, { replacements, programs })
  return { program: bundled(PROGRAM, directory) }
}

/** The migration of {@link nextRelease}, which this checkout does not know. */
export const NEXT_MIGRATION = '9000-next'

/**
 * The schema changes of the next release, like those of any release: columns in tables that every request reads or
 * writes, an index, and a new table.
 */
const NEXT_STATEMENTS: readonly string[] = [
  'alter table account add column next text',
  'alter table token_session add column next text',
  'alter table device add column next text',
  'create index token_session_next on token_session (next) where next is not null',
  'create table next_one (id text not null constraint next_one_id_key primary key)',
]

/** The change to this checkout that turns it into the next release. */
export const NEXT_RELEASE: Replacement = {
  file: 'packages/server/src/database/schema/migrations/index.ts',
  from: '// Add a new migration here.',
  to: `{ name: '${NEXT_MIGRATION}', statements: () => ${JSON.stringify(NEXT_STATEMENTS)} },`,
}

/** Drops what {@link NEXT_RELEASE} adds, as only a later release may. */
const CONTRACTING_RELEASE: Replacement = {
  ...NEXT_RELEASE,
  to: `${NEXT_RELEASE.to} { name: '9001-contract-next', statements: () => ['drop table next_one'] },`,
}

/** Bundles a release with a migration that drops something into `directory`: older ones can't start on its schema. */
export const contractingRelease = (directory: string): Promise<Release> =>
  plantedRelease(directory, [CONTRACTING_RELEASE])

/** Bundles the release after this one into `directory`: this checkout with one more migration. */
export const nextRelease = (directory: string, programs?: readonly string[]): Promise<Release> =>
  plantedRelease(directory, [NEXT_RELEASE], programs)

/** Builds the release of `commit` in `directory`. Throws an Error as {@link inCheckoutOf} does. */
export async function releaseOf(commit: string, directory: string): Promise<Release> {
  await inCheckoutOf(commit, (root) => bundle(directory, { root }))
  return { program: bundled(PROGRAM, directory) }
}
