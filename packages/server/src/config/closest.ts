/** Finds the name that a user probably meant. */

/** Returns the item of `names` that needs the fewest typing mistakes; undefined if that is more than a few. */
export function closest(name: string, names: readonly string[]): string | undefined {
  const most = Math.min(4, Math.floor(name.length / 4))
  const [best] = names
    .map((other) => ({ other, mistakes: mistakes(name, other) }))
    .filter(({ mistakes }) => mistakes <= most)
    .sort((a, b) => a.mistakes - b.mistakes)
  return best?.other
}

/** Counts letters that are missing, added, wrong, or swapped with a neighbour. */
function mistakes(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Infinity,
      )
    }
    before = row
    row = next
  }
  return at(row, other.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
