/** The standard error of a node's processes: the last lines, and every line that reports a problem. */

/** A log entry at `warn` or above, or a line that is not an entry. */
export interface LogLine {
  readonly text: string
  /** pino's level: 40 for `warn`, 50 for `error`, 60 for `fatal`. Undefined for a line that is not JSON. */
  readonly level: number | undefined
  readonly message: string
  /** The type of the logged error; its message if it has no type. Empty if there is no error. */
  readonly errors: readonly string[]
}

const TAIL = 12
/**
 * The maximum number of lines kept, so that a node that repeats a line forever does not fill this process's
 * memory.
 */
const MOST = 5_000

export class NodeLog {
  readonly #lines: LogLine[] = []
  #tail: string[] = []
  #rest = ''

  get lines(): readonly LogLine[] {
    return this.#lines
  }

  /** The last lines, for messages. */
  get tail(): string {
    return [...this.#tail, this.#rest].filter(Boolean).join('\n')
  }

  /** Adds output. Returns the lines that it completes. */
  add(chunk: string): readonly string[] {
    const pieces = (this.#rest + chunk).split('\n')
    this.#rest = pieces.pop() ?? ''
    const lines = pieces.filter(Boolean)
    for (const line of lines) {
      this.#tail = [...this.#tail, line.slice(0, 300)].slice(-TAIL)
      if (this.#lines.length < MOST) this.#lines.push(read(line))
    }
    return lines
  }
}

function read(text: string): LogLine {
  try {
    const { level, msg, err } = JSON.parse(text)
    return { text: text.slice(0, 600), level, message: String(msg ?? ''), errors: typesOf(err) }
  } catch {
    return { text: text.slice(0, 600), level: undefined, message: text, errors: [] }
  }
}

const typesOf = (error: { type?: string; message?: string } | undefined): readonly string[] =>
  error ? [error.type ?? error.message ?? ''] : []
