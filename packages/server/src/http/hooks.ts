/** Hooks of a route, which Fastify takes one by one or as a list, and what one that takes no promise tells it. */

/** `first` and then those that the route has already. */
export const before = <Hook>(first: Hook, hooks: Hook | Hook[] | undefined): Hook[] => [
  first,
  ...(hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks]),
]

/** Those that the route has already, and then `last`. */
export const afterwards = <Hook>(hooks: Hook | Hook[] | undefined, last: Hook): Hook[] => [
  ...(hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks]),
  last,
]

/** What was thrown, as the error that Fastify's callbacks take. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('Something else than an error was thrown.', { cause: thrown })
