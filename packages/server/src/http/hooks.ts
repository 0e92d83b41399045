/** Hooks of a route, which Fastify takes one by one or as a list. */

/** `first` and then those that the route has already. */
export const before = <Hook>(first: Hook, hooks: Hook | Hook[] | undefined): Hook[] => [
  first,
  ...(hooks === undefined ? [] : Array.isArray(hooks) ? hooks : [hooks]),
]
