/** The error of a supervisor that gives up. */

/** The workers do not run; the log says why. */
export class WorkersFailed extends Error {
  override readonly name = 'WorkersFailed'
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}
