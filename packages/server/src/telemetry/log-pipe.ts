/**
 * Writes the lines of the log to standard error without waiting for its reader. It writes the first line at once, and
 * the lines that follow soon after together, because a write costs as much as ten lines. pino's own destination takes 8
 * µs for a line of a busy service, a quarter of the cost of a short request: for each new line, it counts the bytes of
 * all waiting lines again, or it keeps a buffer for each. Here, a line is copied into a block, which takes about 1 µs.
 *
 * Blocks are reused. As garbage, blocks that had waited for a slow reader took 44 MB until V8 collected its old
 * generation, and memory from malloc often stays resident.
 */
import { write, writeSync } from 'node:fs'

const STANDARD_ERROR = 2
/** The longest time, in milliseconds, that a line waits for others. */
const TOGETHER_MS = 100
/** The time before writing to a full pipe is retried, in milliseconds. */
const AGAIN_MS = 20
/** How long a process that exits waits for its reader to continue, in milliseconds. */
const STILL_AT_EXIT_MS = 1_000
/** How long it writes in total, in milliseconds, because service managers kill a process that is slow to exit. */
const AT_EXIT_MS = 4_000
/** The time before a process that exits retries a full pipe, in milliseconds. It has nothing else to do. */
const AGAIN_AT_EXIT_MS = 1
/** The maximum number of bytes that wait for a reader that has stopped; further lines are lost. */
const MOST_WAITING = 16 * 1024 * 1024
/** The number of pino's level. */
const WARN = 40
/** Makes pino set `lastLevel` on the destination before each line. */
const METADATA: unique symbol = Symbol.for('pino.metadata')
/** The maximum number of bytes that UTF-8 needs for a UTF-16 unit. */
const UNIT_BYTES = 3

interface Waiting {
  /** The bytes that are not written yet. */
  readonly bytes: Buffer
  /** The memory that contains them: a block, or a separate buffer for long or few lines. */
  readonly memory: Buffer
}

export class LogPipe {
  readonly [METADATA] = true
  /** Set by pino before it writes a line. */
  lastLevel = 0
  readonly #blockBytes: number
  /** The block that lines are copied into. */
  #block: Buffer
  #used = 0
  /** Written blocks for further lines. There are never more than have waited at once. */
  readonly #free: Buffer[] = []
  /** Sorted oldest first. */
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #isWriting = false
  /** Whether the next write waits for `AGAIN_MS`. A process that exits can write everything, because none has begun. */
  #isFull = false
  #timer: NodeJS.Timeout | undefined
  #isUsed = false

  /** `blockBytes` is the maximum size of a write, except for a longer line. */
  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes
    this.#block = Buffer.allocUnsafeSlow(blockBytes)
  }

  write(line: string): void {
    if (!this.#isUsed) process.once('exit', () => this.#finish())
    this.#isUsed = true
    const most = line.length * UNIT_BYTES
    if (this.#used + most > this.#block.length) this.#flush()
    if (most > this.#block.length) this.#putOwn(Buffer.from(line))
    else this.#used += this.#block.write(line, this.#used)
    // Warnings and errors don't wait, because they may be the last lines before a crash. Nor does a single line.
    if (this.lastLevel >= WARN || !this.#timer) this.#flush()
    this.#timer ??= setTimeout(() => this.#tick(), TOGETHER_MS).unref()
  }

  /** Begins to write the waiting lines. */
  #flush(): void {
    this.#close()
    this.#writeNext()
  }

  #tick(): void {
    this.#timer = undefined
    if (this.#used === 0 && this.#waiting.length === 0) return
    this.#flush()
    this.#timer = setTimeout(() => this.#tick(), TOGETHER_MS).unref()
  }

  #close(): void {
    const lines = this.#block.subarray(0, this.#used)
    this.#used = 0
    if (lines.length === 0) return
    // Copied, so that few lines use little memory: a warning or an error is often flushed alone.
    if (lines.length < this.#blockBytes / 2) this.#putOwn(Buffer.from(lines))
    else if (this.#put({ bytes: lines, memory: this.#block })) {
      this.#block = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#blockBytes)
    }
  }

  #putOwn(bytes: Buffer): void {
    this.#put({ bytes, memory: bytes })
  }

  /** Returns false if too many bytes wait; the lines are lost. */
  #put(waiting: Waiting): boolean {
    const { length } = waiting.memory
    if (this.#waitingBytes + length > MOST_WAITING) return false
    this.#waiting.push(waiting)
    this.#waitingBytes += length
    return true
  }

  #writeNext(): void {
    const [next] = this.#waiting
    if (this.#isWriting || this.#isFull || !next) return
    this.#isWriting = true
    const { bytes, memory } = next
    write(STANDARD_ERROR, bytes, (error, written) => {
      this.#isFull = error?.code === 'EAGAIN'
      // If there is no reader any more, or the write fails, the lines are dropped and the service continues.
      const done = error && !this.#isFull ? bytes.length : written
      if (done < bytes.length) this.#waiting[0] = { bytes: bytes.subarray(done), memory }
      else {
        this.#waiting.shift()
        this.#waitingBytes -= memory.length
        if (memory.length === this.#blockBytes) this.#free.push(memory)
      }
      this.#isWriting = false
      if (this.#isFull) setTimeout(() => this.#retry(), AGAIN_MS).unref()
      else this.#writeNext()
    })
  }

  #retry(): void {
    this.#isFull = false
    this.#writeNext()
  }

  /** Called when the process exits. Nothing is written after this. */
  #finish(): void {
    this.#close()
    const until = performance.now() + AT_EXIT_MS
    // Skips the bytes that are being written.
    for (const { bytes } of this.#waiting.slice(this.#isWriting ? 1 : 0)) {
      if (!writeWhole(bytes, until)) return
    }
  }
}

/** Returns false if the reader is gone, stopped, or did not read everything in time. The process must still exit. */
function writeWhole(bytes: Buffer, until: number): boolean {
  let patience = performance.now() + STILL_AT_EXIT_MS
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(STANDARD_ERROR, bytes, at)
      patience = performance.now() + STILL_AT_EXIT_MS
    } catch (error) {
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN'
      if (!isFull || performance.now() > Math.min(patience, until)) return false
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_AT_EXIT_MS)
    }
  }
  return true
}
