import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sleep } from './processes.ts'
import { TcpProxy } from './proxy.ts'

/** Starts an echo server, and returns a proxy for it. */
async function echoBehind(context: TestContext): Promise<TcpProxy> {
  const server = createServer((socket) => {
    // The proxy resets its connections when it closes.
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await TcpProxy.start((server.address() as AddressInfo).port)
  context.after(async () => {
    await proxy.close()
    server.close()
  })
  return proxy
}

/** Returns a client, and a function that waits until `length` characters have come back. */
async function newClient(context: TestContext, proxy: TcpProxy) {
  const client = connect(proxy.port, '127.0.0.1')
  client.on('error', () => {})
  context.after(() => client.destroy())
  await once(client, 'connect')
  let echoed = ''
  client.on('data', (chunk) => {
    echoed += chunk
  })
  const echo = async (length: number) => {
    while (echoed.length < length) await once(client, 'data')
    return echoed
  }
  return { client, echo }
}

test('bytes arrive in order, even when a delay ends while some are on their way', async (context) => {
  const proxy = await echoBehind(context)
  const { client, echo } = await newClient(context, proxy)
  client.write('0')
  await echo(1)
  proxy.delay(200)
  client.write('1')
  while (proxy.delayed === 0) await sleep(5)
  proxy.heal({ alive: true })
  client.write('2')
  assert.equal(await echo(3), '012')
})

test('a black hole for one client neither holds nor cuts the connections of others', {
  timeout: 30_000,
}, async (context) => {
  const proxy = await echoBehind(context)
  const { client, echo } = await newClient(context, proxy)
  proxy.blackHole('127.0.0.2')
  client.write('0')
  assert.equal(await echo(1), '0')
  proxy.heal()
  client.write('1')
  assert.equal(await echo(2), '01')
  proxy.blackHole('127.0.0.1')
  client.write('2')
  while (proxy.held === 0) await sleep(5)
  const closed = new Promise((resolve) => client.once('close', resolve))
  proxy.heal()
  await closed
  const again = await newClient(context, proxy)
  again.client.write('3')
  assert.equal(await again.echo(1), '3')
})
