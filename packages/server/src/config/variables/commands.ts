/** The variables of commands that connect to a service on any machine. The service itself does not use them. */

import { optional, row } from '../row.ts'
import { parseFilePath, parseServiceUrl } from '../values.ts'

/** The URL that a service listens on without any variable. */
export const STANDARD_ADDRESS = 'http://127.0.0.1:8080'

const text = (value: string): string => value

export const COMMAND_VARIABLES = {
  RATAFIA_URL: optional({
    default: `the last login, then RATAFIA_BASE_URL, RATAFIA_HOST and RATAFIA_PORT, then ${STANDARD_ADDRESS}`,
    meaning:
      'URL of the service that commands administer over HTTP, and that `ratafia login` and `ratafia ci` log in to. If it is set, commands that work only on the database require `--direct`',
    parse: parseServiceUrl,
  }),
  RATAFIA_AGENT_FILE: optional({
    default: 'none: the login that `ratafia login` keeps',
    meaning: 'For commands over HTTP: log in as the agent of this file, which `ratafia agents add` writes',
    parse: parseFilePath,
  }),
  RATAFIA_TOKEN_FILE: optional({
    default: 'none: the login that `ratafia login` keeps',
    meaning: 'For commands over HTTP: a file with a management token',
    parse: parseFilePath,
  }),
  RATAFIA_ID_TOKEN: optional({
    default: 'none: the command gets one from the platform',
    meaning:
      'For `ratafia ci login`: the ID token of the job, if the platform provides it as a variable (GitLab, Jenkins)',
    parse: text,
  }),
  RATAFIA_ID_TOKEN_FILE: row({
    default: '/var/run/secrets/ratafia/token',
    meaning: 'For `ratafia ci login`: a file with the ID token of the job, as Kubernetes mounts it',
    parse: parseFilePath,
  }),
} as const
