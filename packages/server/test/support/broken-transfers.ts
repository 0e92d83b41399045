/** Services that answer an export with an incomplete or invalid file. */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'

const BROKEN: Readonly<Record<string, (response: ServerResponse, line: string) => void>> = {
  cut: (response, line) => {
    response.write(line)
    setTimeout(() => response.destroy(), 100)
  },
  half: (response, line) => {
    response.end(line.slice(0, -20))
  },
  strange: (response) => {
    response.end('<html>\n')
  },
}

/** Calls `work` with the URL and the name of each such service. `line` is a line of a valid file, with its line end. */
export async function eachBrokenTransfer(
  line: string,
  work: (url: string, name: string) => Promise<void>,
): Promise<void> {
  for (const [name, answer] of Object.entries(BROKEN)) {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      answer(response, line)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : assert.fail()
    try {
      await work(url, name)
    } finally {
      server.close()
    }
  }
}
