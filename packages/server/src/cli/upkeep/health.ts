/** `ratafia health`: checks the service of this host, for the health check of a container. Loads no other command. */
import { ConfigError, type Environment } from '../../config/config.ts'
import { addressesIn } from '../../config/local-address.ts'
import { ServiceRefusal, type Streams } from '../context.ts'
import { askReady, type ReadyAnswer } from '../service/ask-ready.ts'

/** Prints that the service is ready, or throws {@link ServiceRefusal}, so that the exit code is 0 or 1. */
export async function checkHealth(environment: Environment, { stdout }: Streams): Promise<void> {
  const answer = await askReady(addressOf(environment))
  if (!answer.ready) throw new ServiceRefusal(problemOf(answer))
  stdout.write(`${answer.url} accepts requests.\n`)
}

function addressOf(environment: Environment): string {
  try {
    const { local } = addressesIn(environment)
    if (local !== undefined) return local
  } catch (error) {
    throw error instanceof ConfigError ? new ServiceRefusal(error.message) : error
  }
  throw new ServiceRefusal(
    'RATAFIA_PORT is 0, so the port is not known here. Set it to the port of the service.',
  )
}

const problemOf = ({ url, ready, why = '' }: ReadyAnswer): string =>
  ready === undefined
    ? `Nothing answers at ${url}. Start \`ratafia serve\`, or set RATAFIA_HOST and RATAFIA_PORT as for the service.`
    : `${url} does not accept requests: ${why}`
