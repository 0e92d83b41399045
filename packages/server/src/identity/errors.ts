/** What the identity service's operations throw; `answers.ts` turns them into the bakery's JSON, or a page. */
import type { BakeryErrorCode } from '@ratafia/api'

/** The request was understood and refused. The message goes to the client: a sentence that says what to do. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError'
  readonly code: Exclude<BakeryErrorCode, 'interaction required'>

  constructor(
    code: Exclude<BakeryErrorCode, 'interaction required'>,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
  }
}

/** By method, what a client needs to let its person (or agent) log in. */
export type InteractionMethods = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The caveat can be discharged, once the client comes back with a token of one of these methods. */
export class InteractionRequired extends Error {
  override readonly name = 'InteractionRequired'
  readonly methods: InteractionMethods

  constructor(methods: InteractionMethods) {
    super('Log in first: open the page in a browser, or use an agent key.')
    this.methods = methods
  }
}

/** Nobody has confirmed the login so far, and the wait was long enough. Asking again goes on with it. */
export class StillWaiting extends Error {
  override readonly name = 'StillWaiting'

  constructor() {
    super('Nobody has confirmed this login so far. Ask again to go on waiting.')
  }
}
