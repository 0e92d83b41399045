/**
 * Writes the lines of the log to standard error without waiting for whoever reads them: the first at once, and those
 * that come soon after it together, because a write costs as much as ten lines. pino's own destination takes 8 µs for a
 * line of a busy service, a quarter of what a short request costs: it counts the bytes of all waiting lines again with
 * each new one, or keeps a buffer for each. Here a line is copied into a block, which takes about one.
 *
 * A block that was written is used again. As garbage, those that had waited for a slow reader took 44 MB, until V8
 * collected its old generation; and what malloc has once taken often stays resident.
 */
import { write, writeSync } from 'node:fs'

const STANDARD_ERROR = 2
/** Milliseconds that a line waits for others at most. */
const TOGETHER_MS = 100
/** Milliseconds before a full pipe is tried again. */
const AGAIN_MS = 20
/** Milliseconds that a process which ends waits for its reader to read on. */
const STILL_AT_EXIT_MS = 1_000
/** Milliseconds that it writes in all, however much is left: service managers kill a process that takes long to end. */
const AT_EXIT_MS = 4_000
/** Milliseconds before a process that ends tries a full pipe again: it has nothing else to do. */
const AGAIN_AT_EXIT_MS = 1
/** Bytes that a reader who has stopped may leave waiting; further lines are lost. */
const MOST_WAITING = 16 * 1024 * 1024
/** As pino numbers it. */
const WARN = 40
/** By this pino knows that the destination wants to know the level of each line. */
const METADATA: unique symbol = Symbol.for('pino.metadata')
/** The most bytes that UTF-8 needs for a unit of a text. */
const UNIT_BYTES = 3

interface Waiting {
  /** What is still to be written. */
  readonly bytes: Buffer
  /** Where it is: a block, or for lines that are longer, or few, a buffer of their own. */
  readonly memory: Buffer
}

export class LogPipe {
  readonly [METADATA] = true
  /** Set by pino before it writes a line. */
  lastLevel = 0
  readonly #blockBytes: number
  /** The one that lines are copied into. */
  #block: Buffer
  #used = 0
  /** Blocks that were written, for further lines: never more than have once waited. */
  readonly #free: Buffer[] = []
  /** The oldest first. */
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  #isUsed = false

  /** `blockBytes`: the size of a write at most, but for a line that is longer. */
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
    // Nothing alarming waits: it may be the last line before a crash. Nor does a line that comes alone.
    if (this.lastLevel >= WARN || !this.#timer) this.#flush()
    this.#timer ??= setTimeout(() => this.#tick(), TOGETHER_MS).unref()
  }

  /** Begins to write what waits. */
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
    // Copied, so that few lines take little: without waiting, each alarming line comes alone.
    if (lines.length < this.#blockBytes / 2) this.#putOwn(Buffer.from(lines))
    else if (this.#put({ bytes: lines, memory: this.#block })) {
      this.#block = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#blockBytes)
    }
  }

  #putOwn(bytes: Buffer): void {
    this.#put({ bytes, memory: bytes })
  }

  /** False: too much waits, and it is lost. */
  #put(waiting: Waiting): boolean {
    const { length } = waiting.memory
    if (this.#waitingBytes + length > MOST_WAITING) return false
    this.#waiting.push(waiting)
    this.#waitingBytes += length
    return true
  }

  #writeNext(): void {
    const [next] = this.#waiting
    if (this.#isWriting || !next) return
    this.#isWriting = true
    const { bytes, memory } = next
    write(STANDARD_ERROR, bytes, (error, written) => {
      const isFull = error?.code === 'EAGAIN'
      // Nobody reads any more, or it cannot be kept: the service goes on.
      const done = error && !isFull ? bytes.length : written
      if (done < bytes.length) this.#waiting[0] = { bytes: bytes.subarray(done), memory }
      else {
        this.#waiting.shift()
        this.#waitingBytes -= memory.length
        if (memory.length === this.#blockBytes) this.#free.push(memory)
      }
      this.#isWriting = false
      if (isFull) setTimeout(() => this.#writeNext(), AGAIN_MS).unref()
      else this.#writeNext()
    })
  }

  /** The process ends: nothing else is written after this. */
  #finish(): void {
    this.#close()
    const until = performance.now() + AT_EXIT_MS
    // What is being written needs no second time.
    for (const { bytes } of this.#waiting.slice(this.#isWriting ? 1 : 0)) {
      if (!writeWhole(bytes, until)) return
    }
  }
}

/** False: the reader is gone, has stopped, or did not read all until then. The process must end all the same. */
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
