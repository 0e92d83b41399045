/** An answer that a service sends while it reads it, line by line: it may be longer than the memory. */
import { boundedBody } from '../../bounded-body.ts'
import { objectIn } from '../../foreign-json.ts'
import { type Answer, type Question, received, refuseRedirect, sizesOf, strangeAnswer } from '../login/ask.ts'

/** Milliseconds that nothing may arrive for. */
const PATIENCE_MS = 60_000
/** Characters. No line of ours is as long. */
const LONGEST = 1024 * 1024
const MOST_OF_REFUSAL = 256 * 1024

/**
 * The lines, without their ends, or the refusal. An answer that breaks off throws `NoAnswer` from the lines. Throws
 * `NoAnswer`, and `ServiceRefusal` for a redirect.
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
      if (rest.length > LONGEST) throw strangeAnswer(url, 'a line without end')
      yield* lines
    }
    if (rest !== '') throw strangeAnswer(url, 'half a line')
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
