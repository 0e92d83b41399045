/** Credentials as people paste them: with line breaks of a terminal or mail, in quotes, or with the whole header. */

const QUOTES = /^["'`\u201c\u201d\u2018\u2019\u00ab]|["'`\u201c\u201d\u2018\u2019\u00bb]$/
const SCHEME = /^(?:authorization:?\s*)?(?:macaroon|bearer|token|basic)[\s:]+|^authorization:?\s/i

/** Removes white space, which no credential has; JSON and `root=…, discharge=…` keep their spaces. */
export function withoutWhiteSpace(text: string): string {
  const value = text.replace(/^\ufeff/, '').trim()
  return /^[[{]|^(?:root|discharge)=/.test(value) ? value : value.replace(/\s+/g, '')
}

/** Returns what was pasted with the credential and the remedy, without a full stop or secret; otherwise undefined. */
export function pasteFault(text: string): string | undefined {
  const value = text.replace(/^\ufeff/, '').trim()
  const [scheme] = SCHEME.exec(value) ?? []
  if (scheme !== undefined) return `It begins with "${scheme.trim()}": leave that out`
  return QUOTES.test(value) ? 'It is in quotes: leave them out' : undefined
}
