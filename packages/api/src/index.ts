/**
 * The wire contract of Ratafia without its schemas: ids, permissions, error codes and the types. A program
 * that only needs an id starts fast; `./schemas` has the rest.
 */
export * from './ci/token-types.ts'
export * from './error-codes.ts'
export * from './ids.ts'
export * from './limits.ts'
export * from './management/counters.ts'
export * from './management/roles.ts'
export * from './patterns.ts'
export * from './permissions.ts'
export type * from './schemas.ts'
export * from './version.ts'
