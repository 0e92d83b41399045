/** Hooks of a route, which Fastify accepts singly or as a list, and the error for a hook's callback. */

/** Returns `first`, and then the hooks that the route already has. */
export const before = <Hook>(first: Hook, hooks: Hook | Hook[] | undefined): Hook[] => [
  first,
  ...(hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks]),
]

/** Returns the hooks that the route already has, and then `last`. */
export const afterwards = <Hook>(hooks: Hook | Hook[] | undefined, last: Hook): Hook[] => [
  ...(hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks]),
  last,
]

/** Returns what was thrown as an error, which Fastify's callbacks require. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('Something other than an error was thrown.', { cause: thrown })
