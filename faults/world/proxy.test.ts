import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { TcpProxy } from './proxy.ts'

test('bytes arrive in order, also when a delay ends while some are on their way', async (context) => {
  const server = createServer((socket) => {
    // The proxy resets its connections when it closes.
    socket.on('error', () => {})
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await TcpProxy.start((server.address() as AddressInfo).port)
  const client = connect(proxy.port, '127.0.0.1')
  context.after(async () => {
    client.destroy()
    await proxy.close()
    server.close()
  })
  await once(client, 'connect')
  let echoed = ''
  client.on('data', (chunk) => {
    echoed += chunk
  })
  const echo = async (length: number) => {
    while (echoed.length < length) await once(client, 'data')
  }

  client.write('0')
  await echo(1)
  proxy.delay(200)
  client.write('1')
  while (proxy.delayed === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  proxy.heal({ alive: true })
  client.write('2')
  await echo(3)
  assert.equal(echoed, '012')
})
