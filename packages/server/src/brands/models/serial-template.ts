/** Generated serial numbers: UUIDs, or `AC-{number:8}` for AC-00000001, AC-00000002 and so on. */

import { randomUUID } from 'node:crypto'
import { isStrictSerial } from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import type { TransactionStores } from '../../stores.ts'
import { type ModelName, showModelName } from './model-policy.ts'

const NUMBER = /\{number(?::([1-9]))?\}/

/** Throws `invalid-field` unless the template has one `{number}` and gives serials that newer snapd accepts. */
export function checkSerialTemplate(template: string | null): void {
  if (template === null) return
  const sample = serialFromTemplate(template, 1)
  if (NUMBER.test(template) && isStrictSerial(sample) && sample.length <= 128) return
  throw invalidField(
    `${JSON.stringify(template.slice(0, 128))} is not a template for serial numbers. Write letters and digits with single - + : between them, and {number} once, or {number:8} for eight digits, such as AC-{number:8}.`,
  )
}

/** Writes the number with leading zeros up to the template's width; a longer one keeps all its digits. */
export function serialFromTemplate(template: string, number: number): string {
  return template.replace(NUMBER, (_, width: string | undefined) =>
    String(number).padStart(Number(width ?? 1), '0'),
  )
}

/**
 * Fills the model's template with a number that was never given before, or generates a UUID. An unused number leaves a
 * gap. A generated serial can equal one that a device proposed: the register decides which device has it.
 */
export async function generateSerial(
  model: ModelName & { readonly policy: { readonly serialTemplate: string | null } },
  { models }: TransactionStores,
): Promise<string> {
  const { serialTemplate } = model.policy
  if (serialTemplate === null) return randomUUID()
  const number = await models.takeNumber(model)
  if (number === undefined) throw new TypeError(`no model ${showModelName(model)}: was it looked up?`)
  return serialFromTemplate(serialTemplate, number)
}
