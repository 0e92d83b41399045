/** The variables of commands that talk to a service, wherever it runs. The service itself does not use them. */
import { optional, row } from '../row.ts'
import { parseServiceUrl } from '../values.ts'

/** Where a service without any variable listens. */
export const STANDARD_ADDRESS = 'http://127.0.0.1:8080'

const text = (value: string): string => value

export const COMMAND_VARIABLES = {
  RATAFIA_URL: optional({
    default: `RATAFIA_BASE_URL, and without that ${STANDARD_ADDRESS}`,
    meaning: 'Of `ratafia login` and `ratafia ci`: the address of the service to log in to',
    parse: parseServiceUrl,
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
    parse: text,
  }),
} as const
