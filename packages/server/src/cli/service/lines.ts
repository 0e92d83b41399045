/** Reads an answer line by line while the service still sends it: it may be larger than the memory. */
import { boundedBody } from '../../bounded-body.ts'
import { objectIn } from '../../foreign-json.ts'
import { type Answer, type Question, received, refuseRedirect, sizesOf, strangeAnswer } from '../login/ask.ts'

/** How long the command waits for data before it gives up, in milliseconds. */
const PATIENCE_MS = 60_000
/** The maximum length of a line, in characters. The service never sends a longer one. */
const LONGEST = 1024 * 1024
const MOST_OF_REFUSAL = 256 * 1024

/**
 * Returns the lines, without their line ends, or the refusal. If the answer breaks off, the generator throws
 * `NoAnswer`. Throws `NoAnswer`, and `ServiceRefusal` for a redirect.
 */
export async function linesOf(url: string, question: Question): Promise<Answer | AsyncGenerator<string>> {
  const { most: _, patience: __, addressIn: ___, ...init } = question
  const wait = { patience: PATIENCE_MS, addressIn: '--url' }
  const impatience = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    timer = setTimeout(() => impatience.abort(new DOMException('too slow', 'TimeoutError')), PATIENCE_MS)
    try {
      return await received(url, wait, work)
    } finally {
      clearTimeout(timer)
    }
  }
  const response = await within(() => fetch(url, { ...init, redirect: 'manual', signal: impatience.signal }))
  await refuseRedirect(response, url)
  const { status, headers, body } = response
  if (status !== 200 || !body) {
    const bytes = (await within(() => boundedBody(body, MOST_OF_REFUSAL))) ?? Buffer.alloc(0)
    const text = bytes.toString('utf8')
    return { url, status, headers, body: objectIn(text), text, ...sizesOf(question) }
  }
  return splitLines(url, body.pipeThrough(new TextDecoderStream()).getReader(), within)
}

async function* splitLines(
  url: string,
  reader: ReadableStreamDefaultReader<string>,
  within: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<string> {
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await within(() => reader.read())
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > LONGEST) throw strangeAnswer(url, 'an endless line')
      yield* lines
    }
    if (rest !== '') throw strangeAnswer(url, 'half a line')
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
