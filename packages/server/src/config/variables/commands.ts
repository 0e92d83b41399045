/** The variables of commands that talk to a service, wherever it runs. The service itself does not use them. */
import { optional } from '../row.ts'
import { parseServiceUrl } from '../values.ts'

/** Where a service without any variable listens. */
export const STANDARD_ADDRESS = 'http://127.0.0.1:8080'

export const COMMAND_VARIABLES = {
  RATAFIA_URL: optional({
    default: `RATAFIA_BASE_URL, and without that ${STANDARD_ADDRESS}`,
    meaning: 'Of `ratafia login`: the address of the service to log in to',
    parse: parseServiceUrl,
  }),
} as const
