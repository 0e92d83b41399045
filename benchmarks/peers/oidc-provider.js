// Serves introspection of opaque access tokens with node-oidc-provider and a store in memory. Writes the requested
// number of tokens to the file of its first argument, a line each, and then listens. The client authenticates with
// its secret. The provider looks up the token in the store and checks that it has not expired. A revoked token is not
// in the store.
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const [, , file, count] = process.argv
const CLIENT = { client_id: 'store', client_secret: 'a-secret-of-the-store' }

// Replaces the default adapter, a cache of 1,000 entries that would forget most tokens.
const stored = new Map()
class Memory {
  constructor(model) {
    this.model = model
  }
  async upsert(id, payload) {
    stored.set(`${this.model}:${id}`, payload)
  }
  async find(id) {
    return stored.get(`${this.model}:${id}`)
  }
  async destroy(id) {
    stored.delete(`${this.model}:${id}`)
  }
  async consume() {}
  async findByUid() {}
  async findByUserCode() {}
  async revokeByGrantId() {}
}

const provider = new Provider('http://127.0.0.1', {
  adapter: Memory,
  clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
  },
  ttl: { ClientCredentials: 86_400 },
})

const client = await provider.Client.find(CLIENT.client_id)
const tokens = createWriteStream(file)
for (let at = 0; at < Number(count); at++) {
  tokens.write(`${await new provider.ClientCredentials({ client, scope: 'whoami' }).save()}\n`)
}
await new Promise((resolve) => tokens.end(resolve))

const server = createServer(provider.callback())
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`)
})
