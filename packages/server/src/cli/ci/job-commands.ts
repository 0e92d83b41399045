/** `ratafia ci`: the commands for jobs of a CI platform. They need no installation, only the service's address. */
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context.ts'
import { several } from '../option-values.ts'
import { goes, URL_HELP } from '../service/ways.ts'
import type { LoginOptions } from './job/login.ts'
import type { LogoutOptions } from './job/logout.ts'

/** The variable for the credential without an option; also the default of `--variable`. */
const VARIABLE = 'SNAPCRAFT_STORE_CREDENTIALS'

const SOURCES_HELP = `
Where the ID token comes from:
    auto
        RATAFIA_ID_TOKEN, or else the platform that the command detects
    github, forgejo
        the platform, if the job may request ID tokens
    gitlab
        RATAFIA_ID_TOKEN, which you declare with \`id_tokens\` in .gitlab-ci.yml
    circleci, buildkite
        the program circleci or buildkite-agent
    bitbucket
        BITBUCKET_STEP_OIDC_TOKEN, with \`oidc\` in the step
    azure-devops
        the platform, if the step passes SYSTEM_ACCESSTOKEN to the command
    google
        the metadata server
    kubernetes
        the file RATAFIA_ID_TOKEN_FILE, a projected volume
    env:NAME, file:PATH, -
        a variable (such as one that Jenkins binds), a file, or standard input

Where the credential goes:
    github-env
        the file GITHUB_ENV, for all later steps of the job
    dotenv, dotenv:PATH
        a file of variables (default: ratafia.env) that a shell reads with \`. ./ratafia.env\`
    file:PATH
        a file with only the credential
    stdout
        standard output; capture it, for example with $(…), to keep it out of logs
Files have mode 0600 and replace older ones. The default is github-env if GITHUB_ENV is set, and otherwise dotenv.

On platforms that can hide values in their logs, the command hides the ID token and the credential before it uses
them. It sends the ID token only to this service, and only if the token's audience is this service.`

export function ciCommands(parent: Command, context: CommandContext): void {
  const ci = parent.command('ci').description('log in from a CI job, with the ID token of its platform')

  goes(ci.command('login'), 'none')
    .description("exchange this job's ID token for a credential that expires after some minutes")
    .option('--url <url>', URL_HELP)
    .addOption(new Option('--from <source>', 'where the ID token comes from; see below').default('auto'))
    .option('--audience <text>', 'the required audience of the ID token (default: the one the service names)')
    .option('--rule <name>', 'the rule to use, if several match')
    .addOption(
      new Option(
        '--format <format>',
        'u1: for snapcraft and UbuntuOneStoreClient of craft-store; macaroon: for SNAPCRAFT_STORE_AUTH=onprem and StoreClient',
      )
        .choices(['u1', 'macaroon'])
        .default('u1'),
    )
    .option('--export <where>', 'where the credential goes; see below')
    .option('--variable <name>', 'the name of the variable in a file of variables', VARIABLE)
    .option('--permission <name>', 'request only this permission; repeatable', several)
    .option('--package <name>', 'request only this package, by name; repeatable', several)
    .option('--channel <pattern>', 'request only this channel; repeatable', several)
    .option('--lifetime <duration>', 'request a shorter lifetime, such as 300 (seconds) or 5m')
    .addHelpText('after', SOURCES_HELP)
    .action(async (options: LoginOptions) => {
      const { login } = await import('./job/login.ts')
      await login(options, context)
    })

  goes(ci.command('logout'), 'none')
    .description('revoke the session of an exported credential before it expires')
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
