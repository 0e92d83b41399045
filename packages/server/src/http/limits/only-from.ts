/** Routes that are there for some networks alone: for others there is nothing at their paths. */
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../../errors.ts'

/** The client is in none of the networks: whatever is here, it hears what it would hear where there is nothing. */
export class OutsideNetworks extends RequestError {
  constructor() {
    super('not-found', 'There is nothing at this path. GET / lists what there is.')
  }
}

/** `networks` are addresses and CIDR blocks; for routes added to `app` later. Throws {@link OutsideNetworks}. */
export function onlyFrom(app: FastifyInstance, networks: readonly string[]): void {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const type = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  app.addHook('onRequest', ({ client: { address } }, _reply, done) => {
    const isInside = address !== 'unknown' && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
    done(isInside ? undefined : new OutsideNetworks())
  })
}
