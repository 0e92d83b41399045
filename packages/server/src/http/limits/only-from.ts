/** Routes for some networks only: for other clients there is nothing at their paths. */
import type { FastifyInstance } from 'fastify'
import { insideOf } from '../../addresses/address-classes.ts'
import { RequestError } from '../../errors.ts'

/** The client is in none of the networks, so it gets the answer for a path where there is nothing. */
export class OutsideNetworks extends RequestError {
  constructor() {
    super('not-found', 'There is nothing at this path. GET / lists what there is.')
  }
}

/** `networks` are addresses and CIDR blocks. Applies to routes added to `app` later. Throws {@link OutsideNetworks}. */
export function onlyFrom(app: FastifyInstance, networks: readonly string[]): void {
  const isInside = insideOf(networks)
  app.addHook('onRequest', ({ client: { address } }, _reply, done) => {
    done(isInside(address) ? undefined : new OutsideNetworks())
  })
}
