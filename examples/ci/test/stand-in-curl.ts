/**
 * What the examples need of curl, for tests where curl may be missing. Knows no other option than theirs, and refuses
 * the rest. `interop/ci-examples.test.ts` runs the same tests with curl itself.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'

const words = process.argv.slice(2)
const headers: Record<string, string> = {}
const data: string[] = []
let url = ''
let inQuery = false
let format = ''
let patience = 0

const input = () => readFileSync(0, 'utf8')
const next = () => words.shift() ?? stop('an option without its value')

for (let word = words.shift(); word !== undefined; word = words.shift()) {
  if (word === '-q' || word === '-sS') continue
  else if (word === '-G') inQuery = true
  else if (word === '--max-time') patience = Number(next()) * 1000
  else if (word === '-w') format = next()
  else if (word === '-d') data.push(next())
  else if (word === '-H') addHeader(next())
  else if (word === '--data-urlencode') data.push(encoded(next()))
  else if (/^https?:/.test(word)) url = word
  else stop(`an unknown option: ${word}`)
}

const body = data.join('&')
const hasBody = data.length > 0 && !inQuery
if (hasBody) headers['content-type'] ??= 'application/x-www-form-urlencoded'
try {
  const { status, text } = await answerOf(inQuery ? `${url}${url.includes('?') ? '&' : '?'}${body}` : url)
  process.stdout.write(text + format.replace('%{http_code}', String(status)))
} catch {
  process.stdout.write(format.replace('%{http_code}', '000'))
  process.stderr.write('curl: (7) no answer\n')
  process.exitCode = 7
}

/** With `node:http`, because `fetch` takes longer to load than all the rest. */
async function answerOf(address: string): Promise<{ status: number | undefined; text: string }> {
  const options = { method: hasBody ? 'POST' : 'GET', headers, timeout: patience, agent: false }
  return new Promise((resolve, reject) => {
    const asked = request(address, options, async (answer) => {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk)
        resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() })
      } catch (error) {
        reject(error)
      }
    })
    asked.on('error', reject)
    asked.end(hasBody ? body : '')
  })
}

function addHeader(text: string): void {
  for (const line of (text === '@-' ? input() : text).split('\n').filter(Boolean)) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? stop('a header without a name')
    headers[name.toLowerCase()] = value
  }
}

function encoded(text: string): string {
  const [, name = '', from = '', value = ''] = /^(\w+)([=@])(.*)$/s.exec(text) ?? stop('data without a name')
  return `${name}=${encodeURIComponent(from === '@' ? input() : value)}`
}

function stop(why: string): never {
  process.stderr.write(`This stand-in for curl was given ${why}\n`)
  process.exit(2)
}
