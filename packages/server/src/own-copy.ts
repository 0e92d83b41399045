type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Date
    ? never
    : { readonly [K in keyof T]: Plain<T[K]> }

/**
 * A copy of an object, list or text without dates. V8 keeps all of a text in memory as long as a part of it is in use,
 * such as an id that was read from a macaroon: what stays should be a copy.
 */
export const ownCopy = <T>(value: T & Plain<T>): T => JSON.parse(JSON.stringify(value))
