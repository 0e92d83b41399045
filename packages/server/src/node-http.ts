/**
 * `node:http`, as a value. An `import` of it reads every export, and one of them loads undici: 30 ms and 10 MB for each
 * process. Types are imported from `node:http` as usual.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
