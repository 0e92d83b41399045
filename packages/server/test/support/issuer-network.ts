/**
 * A network in which a test sets the addresses of names. Every connection reaches an https server in this process,
 * whose certificate is for gitlab.corp.example and keys.corp.example.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { isIP, Socket } from 'node:net'
import { after, before } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { DocumentOptions } from '../../src/http/outgoing/documents.ts'
import { onLoopback } from './loopback.ts'

export interface IssuerNetwork {
  readonly port: number
  /** The addresses of the connections since the last {@link IssuerNetwork.options}. */
  readonly reached: readonly string[]
  /** Returns options for the fetcher. `names` has, for each name, the addresses that each look-up finds. */
  options(names?: Readonly<Record<string, readonly (readonly string[])[]>>): DocumentOptions
  /** Sets the server's answers, by host and path. Other requests get 404. */
  answer(answers: Readonly<Record<string, Answer>>): void
}

/** A JSON value, or a function that answers. */
type Answer = object | ((request: IncomingMessage, response: ServerResponse) => void)

/** Returns a network for the suite, whose certificate is trusted during the suite's tests. */
export function issuerNetwork(): IssuerNetwork {
  const pem = readFileSync(new URL('../data/issuer-tls.pem', import.meta.url), 'utf8')
  const trusted = getCACertificates()
  let answers: Readonly<Record<string, Answer>> = {}
  let reached: string[] = []
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    const answer = answers[`${request.headers.host}${request.url}`]
    if (typeof answer === 'function') answer(request, response)
    else response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? {}))
  })
  const loopback = onLoopback(server)
  before(() => {
    setDefaultCACertificates([...trusted, pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'))])
  })
  after(() => {
    setDefaultCACertificates(trusted)
  })

  return {
    get port() {
      return loopback.port
    },
    get reached() {
      return reached
    },
    answer: (all) => {
      answers = all
    },
    options: (names = {}) => {
      reached = []
      const left = new Map(Object.entries(names).map(([name, lookUps]) => [name, [...lookUps]]))
      return {
        resolve: async (host) => {
          const found = left.get(host)?.shift() ?? assert.fail(`unexpected look-up of ${host}`)
          return found.map((address) => ({ address, family: isIP(address) }))
        },
        connect: ({ host = '', lookup }) => {
          const socket = new Socket()
          const reach = (address: string) => {
            reached.push(address)
            socket.connect(loopback.port, '127.0.0.1')
          }
          if (isIP(host) !== 0) reach(host)
          else {
            lookup?.(host, {}, (error, address) => (error ? socket.destroy(error) : reach(String(address))))
          }
          return socket
        },
      }
    },
  }
}
