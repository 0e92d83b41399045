/** Generates a serial number for a device that does not propose one (contract/devices.md, decision 9). */
import { randomUUID } from 'node:crypto'
import type { TransactionStores } from '../../stores.ts'
import { type ModelName, showModelName } from './model-policy.ts'
import { serialFromTemplate } from './serial-template.ts'

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
