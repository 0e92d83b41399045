/**
 * The schema of the database does not fit this code, or with `unfit-database`, the database cannot have the schema that
 * this code needs. The message says what to do.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly code: 'schema-too-new' | 'schema-too-old' | 'wrong-partitions' | 'unfit-database'

  constructor(code: SchemaError['code'], message: string) {
    super(message)
    this.code = code
  }
}
