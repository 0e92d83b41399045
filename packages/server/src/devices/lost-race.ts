/**
 * Races in the register: constraints and conditional updates let one writer win. The loser throws {@link
 * LostRace}, stores nothing and tries again.
 */

/** Another request was faster: nothing was stored, and reading again shows its result. */
export class LostRace extends Error {
  override readonly name = 'LostRace'
}

/** Throws {@link LostRace} unless the row was stored. */
export function won(stored: boolean): void {
  if (!stored) throw new LostRace()
}

/** Runs `work` until it loses no race; `attempt` counts from 0. Returns undefined if every attempt lost one. */
export async function retryLostRaces<T>(
  attempts: number,
  work: (attempt: number) => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
    }
  }
  return undefined
}
