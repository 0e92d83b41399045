/** The text that ends the preparation of a release. */
import type { Prepared } from './prepare.ts'

/** Returns what the maintainer does next. docs/releasing.md explains each step. */
export const nextSteps = (version: string, { commit, branch, isFirst }: Prepared): string => `
Release ${version} is committed. Nothing is published yet. To publish it:

1. Look at what was committed, then sign the tag and push both:
     git tag -s v${version} ${commit} -m 'Ratafia ${version}'
     git push --atomic origin ${branch} v${version}
   To undo instead: git reset --keep ${commit}^
2. On the tag, CI runs \`.ci/release\`, which builds all files twice, compares and tests them. They become a draft.
3. Build the files yourself from the tag, with \`npm run release:files\`.
4. Download the draft into DIRECTORY, outside of the checkout. Compare and sign it:
     npm run release:sign -- DIRECTORY --key KEY --compare build/release
5. Publish.${isFirst ? RESERVE : ''}

docs/releasing.md explains each step.`

const RESERVE = ` Before the first release, reserve the npm names ratafia, @ratafia/macaroon, @ratafia/assertions and
   @ratafia/api with 0.0.0 placeholders: a stranger who takes them first runs code on the machines of users.`
