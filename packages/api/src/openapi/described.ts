/** The parts of OpenAPI that make up the document. */

export interface Described {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
  /** Parts that no other file reads. */
  readonly [other: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: object
  readonly examples?: object
}

/** Schemas and examples, by media type. */
export type Content = Readonly<Record<string, { readonly schema: object; readonly examples?: object }>>

export interface Response {
  readonly description?: string
  readonly content?: Content
  readonly [other: string]: unknown
}
