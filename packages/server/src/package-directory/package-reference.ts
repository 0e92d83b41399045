/** How people name a package in one word: a snap id has 32 letters and digits, and the name of a package no capitals. */
export const packageReference = (text: string) =>
  /^[A-Za-z0-9]{32}$/.test(text) && /[A-Z]/.test(text) ? { snap_id: text } : { name: text }
