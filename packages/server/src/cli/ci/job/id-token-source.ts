/** The sources of ID tokens, by name (contract/oidc.md, "Commands and pipelines"). */
import { ServiceRefusal } from '../../context.ts'
import { readNamed, textOfFile } from '../../files.ts'
import { type Asking, fromActions, fromAzure, fromGoogle } from './platform-requests.ts'
import { runProgram } from './program.ts'

export interface IdTokenSource {
  /** The source's name, as the beginning of a sentence. */
  readonly name: string
  /** Returns a new token on each call if the platform can. Throws `ServiceRefusal`, `ServiceAway`, `FileError`. */
  readonly get: (asking: Asking) => Promise<string>
  /** Returns a sentence about what to do if a token is for a different audience. */
  readonly correction: (audience: string) => string
  /** The audience that the platform writes into every token, regardless of the requested one. */
  readonly fixedAudience?: string
}

const asked = (audience: string): string =>
  `The command requested one for ${audience}. Check the settings of the platform.`

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
    get: fromActions('Add `enable-openid-connect: true` to the job. This requires Forgejo 15 or newer.'),
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

/** Returns a function that reads the variable, which must be set. */
export function fromVariable(name: string, advice: (audience: string) => string): IdTokenSource['get'] {
  return async ({ job, audience }) => {
    const token = job.variable(name)
    if (token === undefined) throw new ServiceRefusal(`${name} is not set. ${advice(audience)}`)
    return token
  }
}

/** Reads the file on every call, because such files change while the job runs. `variable`: the one that names it. */
export const textOf = async (path: string, variable?: string): Promise<string> =>
  textOfFile(await readNamed(path, variable))
