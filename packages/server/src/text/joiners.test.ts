import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDisplayName, checkEmail } from '../accounts/account-fields.ts'
import { harmless } from '../cli/terminal/harmless.ts'
import { parseSender } from '../config/reminders/parse.ts'
import { checkReason } from '../devices/find-device.ts'
import { visibleText } from './visible-text.ts'

const NEEDED: readonly [script: string, name: string][] = [
  ['Sinhala', 'ශ\u0dca\u200dර\u0dd3'],
  ['Sinhala, touching letters', 'බ\u0dd4ද\u200d\u0dcaධ'],
  ['Persian', 'علی\u200cرضا'],
  ['Persian with a vowel sign', 'نِی\u200cنَوا'],
  ['Urdu', 'گُل\u200cبہار'],
  ['Syriac', 'ܒ\u200cܒ'],
  ['Mongolian', 'ᠠ\u200cᠠ'],
  ['Hindi, half form', 'क\u094d\u200dष'],
  ['Hindi, visible virama', 'क\u094d\u200cष'],
  ['Marathi, several', 'श\u094d\u200dर\u0940 क\u094d\u200dष\u094d\u200dम'],
  ['Bengali', 'র\u200d\u09cdয\u09beচেল'],
  ['Bengali, khanda ta', 'ত\u09cd\u200d'],
  ['Malayalam, chillu at the end', 'മ\u0d4bഹന\u0d4d\u200d'],
  ['Malayalam, chillu inside', 'ന\u0d4d\u200dസ'],
  ['Kannada', 'ರ\u200d\u0ccdಕ'],
  ['Kannada, visible virama', 'ರ\u0ccd\u200cಕ'],
  ['Tamil', 'ஸ\u0bcd\u200cரீ'],
  ['Telugu', 'శ\u0c4d\u200cర'],
  ['Gujarati', 'ગ\u0acd\u200dગ'],
  ['Gurmukhi', 'ਗ\u0a4d\u200dਗ'],
  ['Odia', 'ଗ\u0b4d\u200cଗ'],
  ['Khmer', 'ក\u17d2\u200cក'],
  ['Burmese', 'က\u103a\u1039\u200cက'],
  ['Javanese', 'ꦏ\ua9c0\u200cꦏ'],
]

const HIDING: readonly [what: string, name: string][] = [
  ['between Latin letters', 'Bo\u200db'],
  ['between Latin letters', 'Bo\u200cb'],
  ['between Cyrillic letters', 'Бо\u200dб'],
  ['between Greek letters', 'Νί\u200cκος'],
  ['between Hebrew letters', 'דו\u200cד'],
  ['between Chinese characters', '山\u200d田'],
  ['between kana', 'す\u200cず'],
  ['between Hangul syllables', '한\u200d글'],
  ['between Thai letters', 'ส\u200cม'],
  ['between digits', '1\u200d2'],
  ['before a space', 'Bob \u200dSmith'],
  ['between Arabic letters, where only ZWNJ has an effect', 'ب\u200dب'],
  ['after a letter that does not join the next one', 'ر\u200cز'],
  ['between scripts', 'ب\u200ca'],
  ['after a vowel sign', 'न\u093f\u200dक'],
  ['between consonants', 'क\u200dक'],
  ['at the beginning', '\u200dक\u094dष'],
  ['at the beginning', '\u200cعلی'],
  ['at the end', 'علی\u200c'],
  ['at the end', 'Bob\u200d'],
  ['before a virama at the end', 'ර\u200d\u0dca'],
  ['doubled', 'क\u094d\u200d\u200dष'],
  ['doubled', 'علی\u200c\u200cرضا'],
  ['doubled, one of each', 'क\u094d\u200c\u200dष'],
  ['in a string with a needed one', 'ශ\u0dca\u200dර\u0dd3 Bo\u200db'],
  ['alone', '\u200d'],
]

/** The fields that refuse invisible characters. */
const FIELDS: readonly [string, (name: string) => unknown][] = [
  ['a display name', checkDisplayName],
  ['an e-mail address', (name) => checkEmail(`${name.replaceAll(' ', '.')}@example.org`)],
  ['a reason', checkReason],
  ['a sender of mail', (name) => parseSender(`${name} <store@example.org>`)],
]

for (const [field, check] of FIELDS) {
  test(`${field} can have joiners only where the spelling needs them`, () => {
    for (const [script, name] of NEEDED) assert.doesNotThrow(() => check(name), script)
    for (const [place, name] of HIDING) assert.throws(() => check(name), `${place}: ${escape(name)}`)
  })
}

test('pages and terminals keep joiners where the spelling needs them, and make others visible', () => {
  for (const [script, name] of NEEDED) {
    assert.deepEqual([visibleText(name, 80), harmless(name)], [name, name], script)
  }
  for (const [place, name] of HIDING) {
    assert.match(visibleText(name, 80), /⟨U\+200[CD]⟩/, place)
    assert.match(harmless(name), /\?/, place)
  }
})
