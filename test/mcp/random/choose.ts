// Random choices that follow from a seed.
import { randomOf } from '../../support/world.ts'

export const chooser = (seed: number) => {
  const random = randomOf(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    below,
    chance: (probability: number) => random() < probability,
    one: <T>(all: readonly T[]): T => all[below(all.length)] as T,
  }
}
export type Choose = ReturnType<typeof chooser>
