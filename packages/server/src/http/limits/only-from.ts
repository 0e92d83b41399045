/** Routes that are there for some networks alone: for others there is nothing at their paths. */
import type { FastifyInstance } from 'fastify'
import { insideOf } from '../../addresses/address-classes.ts'
import { RequestError } from '../../errors.ts'

/** The client is in none of the networks: it gets the answer that it would get where there is nothing. */
export class OutsideNetworks extends RequestError {
  constructor() {
    super('not-found', 'There is nothing at this path. GET / lists what there is.')
  }
}

/** `networks` are addresses and CIDR blocks; for routes added to `app` later. Throws {@link OutsideNetworks}. */
export function onlyFrom(app: FastifyInstance, networks: readonly string[]): void {
  const isInside = insideOf(networks)
  app.addHook('onRequest', ({ client: { address } }, _reply, done) => {
    done(isInside(address) ? undefined : new OutsideNetworks())
  })
}
