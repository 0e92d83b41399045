/** `--from`: the source of this job's ID token. */
import type { JobEnvironment } from '../../../config/command-environment.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../../context.ts'
import { isReadable, readStandardInput, textOfFile } from '../../files.ts'
import { fromVariable, type IdTokenSource, PLATFORMS, type PlatformName, textOf } from './id-token-source.ts'
import { isMetadataServerThere } from './platform-requests.ts'

/** Returns the source. Throws {@link UsageError}; for `auto`, `ServiceRefusal` without a known platform. */
export async function chooseSource(
  from: string,
  { job, streams }: Pick<CommandContext, 'job' | 'streams'>,
): Promise<IdTokenSource> {
  if (from === 'auto') return PLATFORMS[await recognised(job)]
  if (isPlatform(from)) return PLATFORMS[from]
  if (from === '-') {
    const input = await readStandardInput(streams, MOST)
    const text = textOfFile(input)
    return { name: input.name, get: async () => text, correction: another }
  }
  const [, kind, rest = ''] = /^(env|file):(.+)$/s.exec(from) ?? []
  if (kind === 'env') {
    return { name: rest, get: fromVariable(rest, () => 'Put the ID token into it.'), correction: another }
  }
  if (kind === 'file') return { name: rest, get: () => textOf(rest), correction: another }
  throw new UsageError(
    `--from ${from} is not known. It can be auto, ${Object.keys(PLATFORMS).join(', ')}, env:NAME, file:PATH or -.`,
  )
}

const MOST = { bytes: 64 * 1024, refusal: 'Standard input is too long for an ID token.' }

const another = (audience: string): string => `Get one for the audience ${audience} from its issuer.`

const isPlatform = (name: string): name is PlatformName => Object.hasOwn(PLATFORMS, name)

interface Sign {
  readonly platform: PlatformName
  readonly looksFor: (job: JobEnvironment) => string
  readonly isThere: (job: JobEnvironment) => boolean | Promise<boolean>
}

const variable = (platform: PlatformName, name: string): Sign => ({
  platform,
  looksFor: () => `${name} (${platform})`,
  isThere: (job) => job.variable(name) !== undefined,
})

/** The signs in order: a token that the user provides comes first, and Forgejo also sets GitHub's variables. */
const SIGNS: readonly Sign[] = [
  { ...variable('gitlab', 'RATAFIA_ID_TOKEN'), looksFor: () => 'RATAFIA_ID_TOKEN' },
  variable('gitlab', 'GITLAB_CI'),
  variable('forgejo', 'FORGEJO_ACTIONS'),
  variable('github', 'GITHUB_ACTIONS'),
  variable('circleci', 'CIRCLECI'),
  variable('buildkite', 'BUILDKITE'),
  variable('bitbucket', 'BITBUCKET_BUILD_NUMBER'),
  variable('azure-devops', 'TF_BUILD'),
  {
    platform: 'kubernetes',
    looksFor: (job) => `the file ${job.idTokenFile().path} (kubernetes)`,
    isThere: (job) => {
      const { path, isNamed } = job.idTokenFile()
      return isNamed || isReadable(path)
    },
  },
  {
    platform: 'google',
    looksFor: () => 'the metadata server (google)',
    isThere: (job) => isMetadataServerThere(job.variable('GCE_METADATA_HOST')),
  },
]

async function recognised(job: JobEnvironment): Promise<PlatformName> {
  for (const { platform, isThere } of SIGNS) if (await isThere(job)) return platform
  const all = SIGNS.map(({ looksFor }) => looksFor(job)).join(', ')
  throw new ServiceRefusal(
    `No CI platform was recognized. The command looked for ${all}, and found none of them. Pass --from to name the source of the ID token, for example --from env:NAME.`,
  )
}
