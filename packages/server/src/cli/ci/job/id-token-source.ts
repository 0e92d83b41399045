/** Where an ID token comes from, by name (contract/oidc.md, "Commands and pipelines"). */
import { ServiceRefusal } from '../../context.ts'
import { readNamed, textOfFile } from '../../files.ts'
import { type Asking, fromActions, fromAzure, fromGoogle } from './platform-requests.ts'
import { runProgram } from './program.ts'

export interface IdTokenSource {
  /** At the beginning of a sentence. */
  readonly name: string
  /** Each call gives a fresh token where the platform can. Throws `ServiceRefusal`, `ServiceAway`, `FileError`. */
  readonly get: (asking: Asking) => Promise<string>
  /** What to do about a token for another audience, as a sentence. */
  readonly correction: (audience: string) => string
  /** What the platform always writes into its tokens, whatever audience is asked for. */
  readonly fixedAudience?: string
}

const asked = (audience: string): string =>
  `The platform was asked for one for ${audience}: check its settings.`

export const PLATFORMS = {
  github: {
    name: 'GitHub',
    get: fromActions(
      'Add `permissions: {id-token: write, contents: read}` to the job. Pull requests of forks never get one.',
    ),
    correction: asked,
  },
  forgejo: {
    name: 'Forgejo',
    get: fromActions('Add `enable-openid-connect: true` to the job; it takes Forgejo 15 or newer.'),
    correction: asked,
  },
  gitlab: {
    name: 'RATAFIA_ID_TOKEN',
    get: fromVariable(
      'RATAFIA_ID_TOKEN',
      (aud) => `Add \`id_tokens: {RATAFIA_ID_TOKEN: {aud: ${aud}}}\` to the job.`,
    ),
    correction: (aud) => `Get one with \`aud: ${aud}\`, in \`id_tokens\` of .gitlab-ci.yml.`,
  },
  circleci: {
    name: 'circleci',
    get: ({ job, audience }) =>
      runProgram('circleci', ['run', 'oidc', 'get', '--claims', JSON.stringify({ aud: audience })], { job }),
    correction: asked,
  },
  buildkite: {
    name: 'buildkite-agent',
    get: ({ job, audience }) =>
      runProgram(
        'buildkite-agent',
        ['oidc', 'request-token', '--audience', audience, '--claim', 'organization_id,pipeline_id'],
        { job },
      ),
    correction: asked,
  },
  bitbucket: {
    name: 'BITBUCKET_STEP_OIDC_TOKEN',
    get: fromVariable(
      'BITBUCKET_STEP_OIDC_TOKEN',
      (aud) => `Add \`oidc: {audiences: [${aud}]}\` to the step.`,
    ),
    correction: (aud) => `Write \`oidc: {audiences: [${aud}]}\` in the step.`,
  },
  'azure-devops': {
    name: 'Azure DevOps',
    get: fromAzure,
    correction: asked,
    fixedAudience: 'api://AzureADTokenExchange',
  },
  google: { name: 'The metadata server', get: fromGoogle, correction: asked },
  kubernetes: {
    name: 'RATAFIA_ID_TOKEN_FILE',
    get: ({ job }) => textOf(job.idTokenFile().path, 'RATAFIA_ID_TOKEN_FILE'),
    correction: (aud) => `Write \`audience: ${aud}\` in the \`serviceAccountToken\` of the volume.`,
  },
} as const satisfies Readonly<Record<string, IdTokenSource>>

export type PlatformName = keyof typeof PLATFORMS

/** The variable must be there. */
export function fromVariable(name: string, advice: (audience: string) => string): IdTokenSource['get'] {
  return async ({ job, audience }) => {
    const token = job.variable(name)
    if (token === undefined) throw new ServiceRefusal(`${name} is not set. ${advice(audience)}`)
    return token
  }
}

/** Read each time: such files change while the job runs. `variable`: the one that names it. */
export const textOf = async (path: string, variable?: string): Promise<string> =>
  textOfFile(await readNamed(path, variable))
