/**
 * The values of `node:http`. An `import` of it evaluates every export, and one of them loads undici, which
 * costs each process 30 ms and 10 MB. Types can be imported from `node:http` as usual.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')

/** Loads `node:https`, which only a process that uses TLS needs. */
export const nodeHttps = (): typeof import('node:https') => process.getBuiltinModule('node:https')
