/** Normalises the spelling of e-mail addresses for storing and looking up accounts. */
import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * Returns `address` with composed letters, without case outside ASCII, and with its domain in lower case, in
 * Unicode and without the dot of the root, so that two spellings of an address become the same text. Letters
 * before the @ keep their ASCII case, which the database ignores. Idempotent; accepts any string.
 */
export function normalEmail(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const local = address
    .slice(0, at)
    .normalize('NFC')
    .replace(/\P{ASCII}+/gu, lowerCase)
  return local + normalDomain(address.slice(at).replace(/(?<=[^.。．｡])[.。．｡]$/u, ''))
}

/** Removes the `mailto:` of a copied link. */
export const withoutMailto = (text: string): string => text.replace(/^\s*mailto:(?:\/\/)?/i, '')

function normalDomain(domain: string): string {
  // The platform reads the domain as the host of a URL, where a path, a port or a number would have another meaning.
  const isName = /^[\p{L}\p{M}\p{N}\p{Join_Control}_.。．｡-]+$/u.test(domain)
  const isNumber = /(?:^|[.。])(?:0x[\da-f]*|\p{N}+)[.。]?$/iu.test(domain.normalize('NFKC'))
  const ascii = isName && !isNumber ? domainToASCII(domain) : ''
  return ascii === '' ? lowerCase(domain) : domainToUnicode(ascii)
}

const lowerCase = (text: string): string => text.toLowerCase().normalize('NFC')
