/** Thrown by a supervisor that gives up because its workers keep failing. The log has the reason. */
export class WorkersFailed extends Error {
  override readonly name = 'WorkersFailed'
  readonly exitCode: number
  /** Whether a worker has already printed the reason. */
  readonly told: boolean

  constructor(message: string, exitCode: number, told = false) {
    super(message)
    this.exitCode = exitCode
    this.told = told
  }
}
