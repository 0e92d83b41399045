/** The wire contract of Ratafia: schemas, types, error codes, ids. */
export * from './errors.ts'
export * from './identity.ts'
export * from './ids.ts'
export * from './openapi.ts'
export * from './operations.ts'
export * from './permissions.ts'
export * from './service.ts'
export * from './tokens.ts'
