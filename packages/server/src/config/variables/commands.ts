/** The variables of commands that talk to a service, wherever it runs. The service itself does not use them. */
import { parseFilePath } from '../paths/file-path.ts'
import { optional, row } from '../row.ts'
import { parseServiceUrl } from '../values.ts'

/** Where a service without any variable listens. */
export const STANDARD_ADDRESS = 'http://127.0.0.1:8080'

const text = (value: string): string => value

export const COMMAND_VARIABLES = {
  RATAFIA_URL: optional({
    default: `the last login, then RATAFIA_BASE_URL, RATAFIA_HOST and RATAFIA_PORT, then ${STANDARD_ADDRESS}`,
    meaning:
      'The address of the service that commands administer over HTTP, and that `ratafia login` and `ratafia ci` log in to. Where it is set, commands that work on the database alone need `--direct`',
    parse: parseServiceUrl,
  }),
  RATAFIA_AGENT_FILE: optional({
    default: 'none: what `ratafia login` keeps',
    meaning: 'Of commands over HTTP: log in as the agent of this file, which `ratafia agents add` writes',
    parse: parseFilePath,
  }),
  RATAFIA_TOKEN_FILE: optional({
    default: 'none: what `ratafia login` keeps',
    meaning: 'Of commands over HTTP: a file with a management token',
    parse: parseFilePath,
  }),
  RATAFIA_ID_TOKEN: optional({
    default: 'none: the command gets one from the platform',
    meaning:
      'Of `ratafia ci login`: the ID token of the job, where the platform gives it as a variable (GitLab, Jenkins)',
    parse: text,
  }),
  RATAFIA_ID_TOKEN_FILE: row({
    default: '/var/run/secrets/ratafia/token',
    meaning: 'Of `ratafia ci login`: a file with the ID token of the job, as Kubernetes mounts it',
    parse: parseFilePath,
  }),
} as const
