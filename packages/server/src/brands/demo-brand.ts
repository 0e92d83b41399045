/** Creates private assertions to try things out: a root, a brand, a model and their keys, all trusted. */
import {
  encode,
  formatTimestamp,
  type HeaderInput,
  type PrivateKey,
  sign,
  type TypeName,
  type UnverifiedAssertion,
} from '@ratafia/assertions'
import type { Authority } from '../authority.ts'
import { invalidField } from '../errors.ts'
import type { Stores } from '../stores.ts'
import { addBrand } from './add-brand.ts'
import { generateSigningKey, privateKeyToPem } from './keys/signing-key-secret.ts'
import { addModel } from './models/add-model.ts'
import { DEFAULT_POLICY, type ModelName } from './models/model-policy.ts'
import { addTrustRoots } from './trust/add-trust-roots.ts'
import { issueAccount, issueAccountKey } from './trust/issue.ts'

export interface DemoFile {
  readonly name: string
  readonly text: string
  /** Whether only the file's owner can read it. */
  readonly secret: boolean
}

export interface DemoBrand {
  readonly rootId: string
  readonly model: ModelName
  readonly storeId: string
  /** The assertions and both private keys. The service stores only the brand's key, sealed. */
  readonly files: readonly DemoFile[]
}

interface NewDemoBrand {
  readonly name: string
  readonly url: string
  /** Receives the files before anything is stored. If it fails, nothing is stored. */
  readonly keep: (files: readonly DemoFile[]) => Promise<void>
  readonly authority: Authority
}

/**
 * Creates `NAME-root`, which signs everything, `NAME-brand` and its model `NAME-device` (registration `auto`), stores
 * them, and returns them as files, together with a store assertion for `proxy.store` that leads to `url`. Throws
 * `invalid-field` if there is already a demo brand with that name.
 */
export async function createDemoBrand(
  { name, url, keep, authority }: NewDemoBrand,
  stores: Stores,
): Promise<DemoBrand> {
  if (!/^[a-z][a-z0-9-]{0,15}$/.test(name) || /--|-$/.test(name)) {
    throw invalidField(
      'The name of a demo brand has up to 16 lower-case letters, digits and single dashes, and begins with a letter.',
    )
  }
  const rootId = `${name}-root`
  const brandId = `${name}-brand`
  const model = `${name}-device`
  const storeId = `${name}-store`
  if (await stores.brands.find(brandId)) {
    throw invalidField(`There is already a demo brand ${brandId}. Pass another name with --name.`)
  }
  const [root, brand] = await Promise.all([generateSigningKey(), generateSigningKey()])
  const at = stores.clock()
  const timestamp = formatTimestamp(at)
  const issuer = { accountId: rootId, key: root }
  const accountKey = (accountId: string, { publicKey }: PrivateKey, keyName: string) =>
    textOf(issueAccountKey({ accountId, publicKey, name: keyName, since: at }, issuer, at))
  const made = (type: TypeName, key: PrivateKey, headers: Record<string, HeaderInput>) =>
    textOf(sign({ type, headers }, key, { signedAt: at }))
  const texts = {
    rootAccount: textOf(issueAccount({ accountId: rootId }, issuer, at)),
    rootKey: accountKey(rootId, root, 'root'),
    brandAccount: textOf(issueAccount({ accountId: brandId }, issuer, at)),
    brandKey: accountKey(brandId, brand, 'serials'),
    model: made('model', brand, {
      'authority-id': brandId,
      series: '16',
      'brand-id': brandId,
      model,
      classic: 'true',
      store: storeId,
      timestamp,
    }),
    store: made('store', root, {
      'authority-id': rootId,
      store: storeId,
      'operator-id': brandId,
      url,
      timestamp,
    }),
  }
  const open = (fileName: string, text: string): DemoFile => ({ name: fileName, text, secret: false })
  const secret = (fileName: string, key: PrivateKey): DemoFile => {
    return { name: fileName, text: privateKeyToPem(key), secret: true }
  }
  const files = [
    open(`account-${rootId}`, texts.rootAccount),
    open(`account-key-${rootId}`, texts.rootKey),
    open(`account-${brandId}`, texts.brandAccount),
    open(`account-key-${brandId}`, texts.brandKey),
    open(`model-${model}`, texts.model),
    open(`store-${storeId}`, texts.store),
    secret('root.pem', root),
    secret('brand.pem', brand),
  ]
  await keep(files)
  const file = (fileName: string, text: string) => ({ name: fileName, bytes: Buffer.from(text) })
  await addTrustRoots({ files: [file('root', `${texts.rootAccount}\n${texts.rootKey}`)], authority }, stores)
  await addBrand(
    {
      account: file('account', texts.brandAccount),
      accountKey: file('account-key', texts.brandKey),
      signingKey: file('key', privateKeyToPem(brand)),
      authority,
    },
    stores,
  )
  const policy = { registration: 'auto', ...DEFAULT_POLICY } as const
  await addModel({ file: file('model', texts.model), policy, authority }, stores)
  return { rootId, model: { brandId, model }, storeId, files }
}

const textOf = (assertion: UnverifiedAssertion): string => Buffer.from(encode(assertion)).toString('utf8')
