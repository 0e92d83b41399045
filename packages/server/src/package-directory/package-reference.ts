/** Reads a name or an id of a package: a snap id has 32 letters and digits, and package names have no capitals. */
export const packageReference = (text: string) =>
  /^[A-Za-z0-9]{32}$/.test(text) && /[A-Z]/.test(text) ? { snap_id: text } : { name: text }
