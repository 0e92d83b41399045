/** The files inside the one-file program. */
import { getAsset, isSea } from 'node:sea'
import { brotliDecompressSync } from 'node:zlib'

/** Returns the content of a file inside the one-file program, or undefined if this is not the one-file program. */
export const readAsset = (name: 'build.json' | 'docs-site.json' | 'licences.txt.br'): Buffer | undefined =>
  isSea() ? Buffer.from(getAsset(name)) : undefined

/** The licences of everything inside the one-file program, or undefined. */
export function licenceTexts(): string | undefined {
  const compressed = readAsset('licences.txt.br')
  return compressed && brotliDecompressSync(compressed).toString()
}
