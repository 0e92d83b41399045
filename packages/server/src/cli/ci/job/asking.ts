/** What a platform is asked for. */
import type { JobEnvironment } from '../../../config/job-environment.ts'

export interface Asking {
  readonly job: JobEnvironment
  /** For whom the token must be. */
  readonly audience: string
  /** Milliseconds that a request may take. */
  readonly patience: number
}
