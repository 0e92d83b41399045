/** Puts examples where OpenAPI has them: at parameters, bodies and answers. */
import type { Content, Described, Parameter } from './described.ts'
import { EXAMPLES, type Example, type OperationId } from './examples.ts'

/** Adds the examples of the operation, each by its name. */
export function withExamples(described: Described): Described {
  const examples: readonly Example[] = EXAMPLES[described.operationId as OperationId] ?? []
  const { parameters, requestBody, responses } = described
  return {
    ...described,
    ...(parameters
      ? { parameters: parameters.map((one) => withValues(one, examples, parameterOf(one))) }
      : {}),
    ...(requestBody
      ? {
          requestBody: { ...requestBody, content: inEach(requestBody.content, examples, ({ body }) => body) },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const { content } = response
        const answers = examples.filter((example) => example.status === Number(status))
        if (!content) return [status, response]
        return [status, { ...response, content: inEach(content, answers, ({ answer }) => answer) }]
      }),
    ),
  }
}

type Value = (example: Example) => unknown

const parameterOf =
  ({ name }: Parameter): Value =>
  ({ parameters }) =>
    parameters?.[name]

const inEach = (content: Content, examples: readonly Example[], pick: Value): Content =>
  Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      withValues(media, examples, (one) => fitting(type, pick(one))),
    ]),
  )

/** Where an answer is JSON or text, an example shows one of them. */
const fitting = (type: string, value: unknown): unknown =>
  type === 'text/plain' && typeof value !== 'string' ? undefined : value

/** Adds those examples that have a value here. */
function withValues<T extends object>(to: T, examples: readonly Example[], pick: Value): T {
  const named = examples.flatMap((example) => {
    const value = pick(example)
    return value === undefined ? [] : [[example.name, { summary: example.summary, value }] as const]
  })
  return named.length > 0 ? { ...to, examples: Object.fromEntries(named) } : to
}
