/**
 * Ending the logins of a person divides them into eras: those before the command, which open nothing afterwards, and
 * those after it. What begins while the command runs may be of either, so it is not looked at.
 */
import type { Person } from './scene.ts'

export class Eras {
  /** Even between commands, odd during one. */
  readonly #eras = new Map<string, number>()

  of({ username }: Person): number {
    return this.#eras.get(username) ?? 0
  }

  /** The result of `login` with its era; undefined if it failed, or a command has run meanwhile. */
  async during<T extends object>(
    person: Person,
    login: (era: number) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const era = this.of(person)
    const result = await login(era)
    return era % 2 === 0 && this.of(person) === era ? result : undefined
  }

  /** Runs the command that ends the era. */
  async end<T>(person: Person, command: () => Promise<T>): Promise<T> {
    this.#next(person)
    try {
      return await command()
    } finally {
      this.#next(person)
    }
  }

  #next(person: Person): void {
    this.#eras.set(person.username, this.of(person) + 1)
  }
}
