// Searches the docs site. The index is a script, because browsers refuse to fetch other files of a site on a disk.
const { root } = document.currentScript.dataset
const form = document.getElementById('search')
const field = form.querySelector('input')
const results = document.getElementById('results')
const MOST = 30

/** Returns how well a section has all words: 3 in its heading, 2 in its page's title, 1 in its text, 0 not at all. */
const rank = (words, [, page, heading, text]) =>
  Math.min(
    ...words.map(
      (word) => [text, page, heading].findLastIndex((one) => one.toLowerCase().includes(word)) + 1,
    ),
  )

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  results.hidden = words.length === 0 || globalThis.searchIndex === undefined
  if (results.hidden) return
  const found = globalThis.searchIndex
    .map((section) => ({ section, place: rank(words, section) }))
    .filter(({ place }) => place > 0)
    .sort((a, b) => b.place - a.place)
    .slice(0, MOST)
  results.replaceChildren(
    ...(found.length > 0 ? found.map(item) : [document.createTextNode('Nothing found.')]),
  )
}

function item({ section: [url, page, heading] }) {
  const link = Object.assign(document.createElement('a'), { href: root + url })
  link.textContent = heading === page ? page : `${page}: ${heading}`
  const entry = document.createElement('li')
  entry.append(link)
  return entry
}

field.addEventListener('input', show)
form.addEventListener('submit', (event) => event.preventDefault())
field.addEventListener(
  'focus',
  () => {
    const script = Object.assign(document.createElement('script'), {
      src: `${root}search-index.js`,
      onload: show,
    })
    document.head.append(script)
  },
  { once: true },
)
form.hidden = false
