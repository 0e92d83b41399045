/**
 * Thrown when the database's schema does not fit this code or, with `unfit-database`, when the database can't
 * have the schema that this code needs. The message has the remedy.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly code: 'schema-too-new' | 'schema-too-old' | 'wrong-partitions' | 'unfit-database'

  constructor(code: SchemaError['code'], message: string) {
    super(message)
    this.code = code
  }
}
