/** Pages of the HTTP API from its OpenAPI documents: one for each document, and one for each group of operations. */
import { ERROR_CODES } from '@ratafia/api'
import { managementOpenApi, openApi } from '@ratafia/api/schemas'
import { tableRow } from '../table-row.ts'
import { nameIn, type Schema, schemaInWords, typeOf } from './schema.ts'
import type { Generated } from './site.ts'

interface Document {
  readonly info: { readonly description: string }
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly securitySchemes: Readonly<
      Record<string, { readonly name: string; readonly description: string }>
    >
  }
}

interface Operation {
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly 'x-permission'?: string
  readonly 'x-person'?: boolean
  readonly 'x-recent-sign-in'?: boolean
  readonly 'x-since-version'?: number
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> }>
>

interface Example {
  readonly summary: string
  readonly value: unknown
}

interface Response {
  readonly description: string
  readonly content?: Content
  readonly headers?: Readonly<Record<string, unknown>>
}

interface Group {
  readonly name: string
  readonly operations: readonly {
    readonly path: string
    readonly method: string
    readonly operation: Operation
  }[]
}

/** The addresses in the pages. Those of an installation are in its own documents. */
const PLACE = {
  baseUrl: 'https://store.example.com',
  identity: 'https://store.example.com/identity',
  deviceServicePath: '/v1',
}

/** Returns the pages, below docs/api/. */
export const apiPages = (): readonly Generated[] => [
  ...pagesOf('HTTP API', 'README', '', plain(openApi(PLACE))),
  ...pagesOf('Management API', 'management', 'management-', plain(managementOpenApi(PLACE))),
]

/** The document as a program reads it. */
const plain = (document: object): Document => JSON.parse(JSON.stringify(document))

function pagesOf(title: string, index: string, prefix: string, document: Document): readonly Generated[] {
  const groups = groupsOf(document)
  const about = new Map(document.tags?.map(({ name, description }) => [name, description]))
  const heading = (name: string) => `${title}: ${name.replaceAll('-', ' ')}`
  const links = groups.map(({ name, operations }) => {
    const described = about.get(name) ?? operations.map(({ operation }) => operation.operationId).join(', ')
    return `- [${name.replaceAll('-', ' ')}](${prefix}${name}.md): ${described}`
  })
  const credentials = Object.entries(document.components.securitySchemes).map(([name, scheme]) =>
    tableRow(`\`${name}\``, `\`${scheme.name}\``, scheme.description),
  )
  const introduction = `# ${title}

${document.info.description}

## Operations

${links.join('\n')}

## Credentials

| credential | header | value |
|---|---|---|
${credentials.join('\n')}
`
  return [
    { path: `docs/api/${index}.md`, isListed: true, markdown: introduction },
    ...groups.map((group) => ({
      path: `docs/api/${prefix}${group.name}.md`,
      isListed: false,
      markdown: groupPage(heading(group.name), index, group, document),
    })),
  ]
}

function groupsOf({ paths }: Document): readonly Group[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return [...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '')].map(([name, all]) => ({
    name,
    operations: all,
  }))
}

function groupPage(title: string, index: string, { operations }: Group, document: Document): string {
  const sections = operations.map(({ path, method, operation }) =>
    operationSection(`\`${method} ${path}\``, operation, `${index}.md`),
  )
  const names = schemasIn(operations, document)
  const schemas = names.map(
    (name) => `### ${name}\n\n${schemaInWords(document.components.schemas[name] ?? {})}`,
  )
  const anywhere = ['## Answers of any operation', refusalsBefore(document, operations)]
  return [`# ${title}`, ...sections, ...anywhere, '## Schemas', ...schemas].join('\n\n')
}

/** Returns the answers that the operations share: they come before a request is read. */
function refusalsBefore({ components }: Document, operations: Group['operations']): string {
  const shared = operations.flatMap(({ operation }) => Object.entries(operation.responses))
  const items = shared.flatMap(([status, answer]) => {
    if (!('$ref' in answer)) return []
    const response = components.responses[answer.$ref.split('/').at(-1) ?? '']
    if (!response) throw new Error(`${answer.$ref} is not in the OpenAPI document`)
    return [answerItem(status, response)]
  })
  return [...new Set(items)].sort().join('\n')
}

function operationSection(heading: string, operation: Operation, index: string): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const answers = Object.entries(responses).flatMap(([status, answer]) =>
    '$ref' in answer ? [] : [answerItem(status, answer)],
  )
  return [
    `## ${heading}`,
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    requirements(operation, index),
    ...(parameters.length === 0 ? [] : ['**Parameters**', parameterTable(parameters)]),
    ...(requestBody
      ? [`**Body** (${requestBody.required ? 'required' : 'optional'})`, bodyOf(requestBody.content)]
      : []),
    '**Answers**',
    answers.join('\n'),
  ].join('\n\n')
}

function requirements(operation: Operation, index: string): string {
  const { operationId, security } = operation
  const names = security
    .map((scheme) => Object.keys(scheme)[0])
    .map((name) => (name ? `\`${name}\`` : 'none'))
  const needs = [
    operation['x-permission'] && `permission \`${operation['x-permission']}\``,
    operation['x-person'] && 'a person, not an agent',
    operation['x-recent-sign-in'] && 'a sign-in of the last 15 minutes',
  ].filter((need) => need)
  return [
    `Operation: \`${operationId}\`.`,
    `[Credential](${index}#credentials): ${names.join(' or ') || 'none'}.`,
    ...(needs.length > 0 ? [`Requires: ${needs.join('; ')}.`] : []),
    ...(operation['x-since-version'] === undefined ? [] : [`Since version ${operation['x-since-version']}.`]),
  ].join(' ')
}

const parameterTable = (parameters: readonly Parameter[]): string =>
  [
    '| parameter | in | required | type | description |',
    '|---|---|---|---|---|',
    ...parameters.map(({ name, in: where, required, schema, description = '' }) =>
      tableRow(`\`${name}\``, where, required ? 'yes' : 'no', typeOf(schema), description),
    ),
  ].join('\n')

function bodyOf(content: Content): string {
  const types = Object.entries(content).map(([type, { schema }]) => `- \`${type}\`: ${typeOf(schema)}`)
  const [example] = Object.values(content).flatMap(({ examples }) => Object.values(examples ?? {}))
  if (!example || typeof example.value === 'string') return types.join('\n')
  const json = `\`\`\`json\n${JSON.stringify(example.value, null, 2)}\n\`\`\``
  return `${types.join('\n')}\n\n${example.summary}:\n\n${json}`
}

/** Returns an item with the types of an answer, and with its error codes if it is a refusal. */
function answerItem(status: string, { description, content = {}, headers = {} }: Response): string {
  const types = Object.entries(content).map(([type, { schema }]) => `\`${type}\` ${typeOf(schema)}`)
  const names = Object.keys(headers).map((name) => `\`${name}\``)
  const lines = description.startsWith('- ') ? description.split('\n') : []
  const [links, others] = [
    lines.flatMap((line) => explained(line) ?? []),
    lines.filter((line) => !explained(line)),
  ]
  const first = lines.length === 0 ? description : links.join(', ')
  const parts = [first, types.join(' or ') || 'no body', `headers ${names.join(', ')}`].filter(
    (part) => part !== '',
  )
  return [`- \`${status}\`: ${parts.join('; ')}`, ...others.map((line) => `  ${line}`)].join('\n')
}

/** Returns a link to the explanation of an error code, if the line has just this explanation. */
function explained(line: string): string | undefined {
  const row = Object.entries(ERROR_CODES).find(([code, { meaning }]) => line === `- \`${code}\`: ${meaning}`)
  return row && `[\`${row[0]}\`](../errors.md#${row[0]}-${row[1].status})`
}

/** Returns the names of the schemas that the operations use, and of those that these use, sorted. */
function schemasIn(operations: Group['operations'], { components }: Document): readonly string[] {
  const names = new Set<string>()
  const add = (value: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)) {
      const name = nameIn(reference)
      const schema = components.schemas[name]
      const response = components.responses[reference.split('/').at(-1) ?? '']
      if (response && reference.includes('/responses/')) add(response)
      if (!schema || names.has(name)) continue
      names.add(name)
      add(schema)
    }
  }
  add(operations)
  return [...names].sort()
}
