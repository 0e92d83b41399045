// Clients in Go and Rust, generated from both OpenAPI documents, compile and call the service.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { agentManagementToken, agentToken } from './support/agent-token.ts'
import type { Driver } from './support/driver.ts'
import { type CompiledAnswer, generateInGo, generateInRust } from './support/generated-clients.ts'
import { FARM, onOneDatabase } from './support/world.ts'

const LANGUAGES = { 'oapi-codegen': generateInGo, 'openapi-generator': generateInRust } as const

onOneDatabase((world) => {
  before(async () => {
    const grant = ['grants', 'add', FARM.username, 'operator', '--with-agent', 'builder']
    await world().installation.ratafia(grant)
  })

  for (const [name, generate] of Object.entries(LANGUAGES)) {
    describe(name, () => {
      let startClient: () => Driver<CompiledAnswer>
      before(async () => {
        startClient = await generate(world().service.url)
      })

      async function ask(command: string, token: string): Promise<CompiledAnswer> {
        const client = startClient()
        try {
          return await client.ask({ do: command, service: world().service.url, token })
        } finally {
          await client.close()
        }
      }

      test('the client of the public API calls whoami, lists tokens and reads a refusal', async () => {
        const { service, agentFile } = world()
        const { token } = await agentToken(service.url, agentFile)
        const { listed, ...answer } = await ask('whoami', token)
        assert.deepEqual(answer, { username: FARM.username })
        assert.ok(Number(listed) > 0, `${listed} tokens`)
        assert.deepEqual(await ask('whoami', 'AgEO'), { code: 'macaroon-authorization-required' })
      })

      test('the client of the management API reads the account of the token', async () => {
        const { service, agentFile } = world()
        const token = await agentManagementToken(service.url, agentFile)
        assert.deepEqual(await ask('me', token), { username: FARM.username })
      })
    })
  }
})
