/** Credentials as people paste them: with the line breaks of a terminal or a mail, in quotes, with the header around. */

const QUOTES = /^["'`\u201c\u201d\u2018\u2019\u00ab]|["'`\u201c\u201d\u2018\u2019\u00bb]$/
const SCHEME = /^(?:authorization:?\s*)?(?:macaroon|bearer|token|basic)[\s:]+|^authorization:?\s/i

/** Without the white space that no credential has; JSON and `root=…, discharge=…` keep their spaces. */
export function withoutWhiteSpace(text: string): string {
  const value = text.replace(/^\ufeff/, '').trim()
  return /^[[{]|^(?:root|discharge)=/.test(value) ? value : value.replace(/\s+/g, '')
}

/** What was pasted with the credential, and what to do, without a full stop; undefined if nothing was. Repeats no secret. */
export function pasteFault(text: string): string | undefined {
  const value = text.replace(/^\ufeff/, '').trim()
  const [scheme] = SCHEME.exec(value) ?? []
  if (scheme !== undefined) return `It begins with "${scheme.trim()}": leave that out`
  return QUOTES.test(value) ? 'It is in quotes: leave them out' : undefined
}
