/** Calls the operations on brands, models and devices with the authority of an operator. */
import { directAuthority } from '../../src/authority.ts'
import * as brands from '../../src/brands/add-brand.ts'
import type { NamedFile } from '../../src/brands/assertion-file.ts'
import * as demo from '../../src/brands/demo-brand.ts'
import * as signing from '../../src/brands/keys/add-signing-key.ts'
import * as disable from '../../src/brands/keys/disable-signing-key.ts'
import * as adding from '../../src/brands/models/add-model.ts'
import * as allowing from '../../src/brands/models/allow-list/import-allow-list.ts'
import * as removing from '../../src/brands/models/allow-list/remove-allowed.ts'
import * as addingKeys from '../../src/brands/models/api-keys/add-api-key.ts'
import * as revoking from '../../src/brands/models/api-keys/revoke-api-key.ts'
import * as hardware from '../../src/brands/models/hardware/import-hardware-identities.ts'
import type { ModelName, ModelPolicy } from '../../src/brands/models/model-policy.ts'
import * as remodelling from '../../src/brands/models/remodel.ts'
import * as removal from '../../src/brands/models/remove-model.ts'
import * as policies from '../../src/brands/models/set-policy.ts'
import * as ending from '../../src/brands/remove-brand.ts'
import * as trusting from '../../src/brands/trust/add-trust-roots.ts'
import * as distrusting from '../../src/brands/trust/remove-trust-root.ts'
import * as register from '../../src/devices/transfer/import-devices.ts'
import * as directory from '../../src/package-directory/import.ts'
import type { Stores } from '../../src/stores.ts'
import { actingAs } from './authorities.ts'
import { TESTER } from './changes.ts'

const authority = directAuthority(TESTER, 'operator')

const asOperator = actingAs(authority)

export const addModel = asOperator(adding.addModel)
export const allowRemodel = asOperator(remodelling.allowRemodel)
export const disallowRemodel = asOperator(remodelling.disallowRemodel)
export const addApiKey = asOperator(addingKeys.addApiKey)
export const removeAllowed = asOperator(removing.removeAllowed)
export const createDemoBrand = asOperator(demo.createDemoBrand)
export const removeTrustRoot = asOperator(distrusting.removeTrustRoot)
export const addBrand = asOperator(brands.addBrand)
export const addSigningKey = asOperator(signing.addSigningKey)
export const importDevices = asOperator(register.importDevices)

type Without<Wanted> = Omit<Wanted, 'authority'>
/** The first argument of an operation. */
type Wanted<Operation extends (...all: never[]) => unknown> = Without<Parameters<Operation>[0]>

export const updateModel = (file: Wanted<typeof adding.updateModel>['file'], deps: Stores) =>
  adding.updateModel({ file, authority }, deps)

export const setPolicy = (model: ModelName, changes: Partial<ModelPolicy>, deps: Stores) =>
  policies.setPolicy({ model, changes, authority }, deps)

export const removeModel = (model: ModelName, deps: Stores) => removal.removeModel({ model, authority }, deps)

export const revokeApiKey = (id: string, deps: Stores) => revoking.revokeApiKey({ id, authority }, deps)

export const disableSigningKey = async (key: Wanted<typeof disable.disableSigningKey>, deps: Stores) =>
  (await disable.disableSigningKey({ ...key, authority }, deps)).stopped

export const addTrustRoots = (files: readonly NamedFile[], deps: Stores) =>
  trusting.addTrustRoots({ files, authority }, deps)

export const removeBrand = (brand: string, deps: Stores) => ending.removeBrand({ brand, authority }, deps)

export const importAllowList = (
  text: string,
  list: Without<Parameters<typeof allowing.importAllowList>[1]>,
  deps: Parameters<typeof allowing.importAllowList>[2],
) => allowing.importAllowList(text, { ...list, authority }, deps)

export const importHardwareIdentities = async (
  files: readonly NamedFile[],
  deps: Parameters<typeof hardware.importHardwareIdentities>[2],
) => (await hardware.importHardwareIdentities(files, { authority }, deps)).imported

export const importPackages = async (
  text: string,
  how: Without<Parameters<typeof directory.importPackages>[1]>,
  deps: Parameters<typeof directory.importPackages>[2],
) => (await directory.importPackages(text, { ...how, authority }, deps)).imported
