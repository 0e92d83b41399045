/** `ratafia ci`: what the job of a CI platform runs. It needs no installation, only the service's address. */
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context.ts'
import { several } from '../option-values.ts'
import { goes, URL_HELP } from '../service/ways.ts'
import type { LoginOptions } from './job/login.ts'
import type { LogoutOptions } from './job/logout.ts'

/** What a job has without an option; also the default of `--variable`. */
const VARIABLE = 'SNAPCRAFT_STORE_CREDENTIALS'

const SOURCES_HELP = `
Where the ID token comes from:
    auto
        RATAFIA_ID_TOKEN, or else what this machine looks like
    github, forgejo
        the platform, if the job may ask for ID tokens
    gitlab
        RATAFIA_ID_TOKEN, which \`id_tokens\` in .gitlab-ci.yml declares
    circleci, buildkite
        the program circleci or buildkite-agent
    bitbucket
        BITBUCKET_STEP_OIDC_TOKEN, with \`oidc\` in the step
    azure-devops
        the platform, if the step passes SYSTEM_ACCESSTOKEN on
    google
        the metadata server
    kubernetes
        the file RATAFIA_ID_TOKEN_FILE, a projected volume
    env:NAME, file:PATH, -
        a variable (as Jenkins binds one), a file, or standard input

Where the credential goes:
    github-env
        into the file GITHUB_ENV: all further steps of the job have it
    dotenv, dotenv:PATH
        into a file (default: ratafia.env) that a shell reads with \`. ./ratafia.env\`
    file:PATH
        alone into a file
    stdout
        printed alone; catch it, for example with $(…), so that no log has it
Files have mode 0600 and replace older ones. The default is github-env where GITHUB_ENV is set, and dotenv elsewhere.

On platforms that can hide values in their logs, the ID token and the credential are hidden before they are used.
The ID token goes to no other service than this one, and only if it is meant for it.`

export function ciCommands(parent: Command, context: CommandContext): void {
  const ci = parent.command('ci').description('log in from a CI job, with the ID token of its platform')

  goes(ci.command('login'), 'none')
    .description('exchange the ID token of this job for a credential that lasts some minutes')
    .option('--url <url>', URL_HELP)
    .addOption(new Option('--from <source>', 'where the ID token comes from; see below').default('auto'))
    .option('--audience <text>', 'for whom the ID token must be (default: what the service says)')
    .option('--rule <name>', 'the rule to use, where several fit')
    .addOption(
      new Option(
        '--format <format>',
        'u1: for snapcraft and UbuntuOneStoreClient of craft-store; macaroon: for SNAPCRAFT_STORE_AUTH=onprem and StoreClient',
      )
        .choices(['u1', 'macaroon'])
        .default('u1'),
    )
    .option('--export <where>', 'where the credential goes; see below')
    .option('--variable <name>', 'the variable in a file of variables', VARIABLE)
    .option('--permission <name>', 'ask for this permission alone; may repeat', several)
    .option('--package <name>', 'ask for this package alone (its name); may repeat', several)
    .option('--channel <pattern>', 'ask for this channel alone; may repeat', several)
    .option('--lifetime <duration>', 'ask for a shorter life, such as 300 (seconds) or 5m')
    .addHelpText('after', SOURCES_HELP)
    .action(async (options: LoginOptions) => {
      const { login } = await import('./job/login.ts')
      await login(options, context)
    })

  goes(ci.command('logout'), 'none')
    .description('end the session of an exported credential, before its time')
    .option('--url <url>', URL_HELP)
    .option(
      '--from <source>',
      `env:NAME, file:PATH or - (standard input) (default: env:${VARIABLE}, UBUNTU_STORE_AUTH or CHARMCRAFT_AUTH)`,
    )
    .action(async (options: LogoutOptions) => {
      const { logout } = await import('./job/logout.ts')
      await logout(options, context)
    })
}
