/**
 * The only script of the console. Every page works without it. It copies text, selects all rows of a list,
 * shows times in the reader's time zone, and reloads the page of a running job while the user types nothing
 * (contract/administration.md, C4). It is sent inside the page: the content security policy allows its hash.
 */
import { hash } from 'node:crypto'

export const SCRIPT = `'use strict'
{
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
for (const button of all('[data-copy]')) {
  button.hidden = false
  const said = button.textContent
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy)
    const text = 'value' in field ? field.value : field.textContent
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      if (field.select) field.select()
      else getSelection().selectAllChildren(field)
      if (!document.execCommand('copy')) return
    }
    button.textContent = button.dataset.copied
    setTimeout(() => { button.textContent = said }, 2000)
  })
}
for (const box of all('[data-all]')) {
  const chosen = () => all('input[type=checkbox][name="' + box.dataset.all + '"]')
  box.closest('[hidden]')?.removeAttribute('hidden')
  box.addEventListener('change', () => { for (const one of chosen()) one.checked = box.checked })
}
const { refresh } = document.body.dataset
if (refresh) {
  const again = () => setTimeout(() => (document.activeElement?.matches('input, select, textarea') ? again() : location.reload()), refresh * 1000)
  again()
}
for (const time of all('time[datetime]')) {
  const at = new Date(time.dateTime)
  if (time.dateTime.length > 10 && !isNaN(at)) time.title = at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
}
}
`

export const SCRIPT_HASH = `sha256-${hash('sha256', SCRIPT, 'base64')}`
