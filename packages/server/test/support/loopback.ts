/** Runs a server for a suite on a free port of 127.0.0.1. */
import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { after, before } from 'node:test'

export interface Loopback {
  readonly port: number
  /** `http://127.0.0.1:PORT` */
  readonly url: string
}

/** Starts the server before the tests of the suite, and closes it after them. */
export function onLoopback(server: Server | SecureServer): Loopback {
  const port = () => {
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object', 'the server listens only during the tests')
    return address.port
  }
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    get port() {
      return port()
    },
    get url() {
      return `http://127.0.0.1:${port()}`
    },
  }
}
