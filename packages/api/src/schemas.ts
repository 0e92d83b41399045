/** The TypeBox schemas of every operation of the API, and what is made from them. */
export * from './devices.ts'
export * from './error-body.ts'
export * from './identity.ts'
export * from './identity-operations.ts'
export * from './openapi/document.ts'
export * from './operations.ts'
export * from './service.ts'
export * from './tokens.ts'
