/** The error of a supervisor that gives up. */

/** The workers do not run; the log says why. */
export class WorkersFailed extends Error {
  override readonly name = 'WorkersFailed'
  readonly exitCode: number
  /** Whether a worker has told the person who started it why: nothing is left to say. */
  readonly told: boolean

  constructor(message: string, exitCode: number, told = false) {
    super(message)
    this.exitCode = exitCode
    this.told = told
  }
}
