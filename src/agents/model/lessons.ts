// What was learned of each model from refusals of its endpoint: switches that are set until the next start.
import type { Asked } from '../../model-requests/request.ts'
import { type Switches, unlikePlain, withPlain } from '../../model-requests/switches.ts'
import type { Lesson } from './endpoint.ts'
import type { ModelRefused } from './failures.ts'

type Change = Partial<Switches>

/** Switches are learned for at most this many models, since requests may name any model. */
const mostModels = 1000

/**
 * `before`: the switches of a model of which nothing was learned. `own`: what the operator has set, which is never
 * changed. `learn`: the change that a refusal suggests.
 */
export const createLessons = (
  before: (model: string) => Change,
  own: Change,
  learn: (present: Switches, refused: ModelRefused) => Change | undefined,
) => {
  /** In order. Nothing is learned twice, so asking ends. */
  const known = new Map<string, Map<string, Change>>()

  const switchesOf = (model: string): Asked['switches'] =>
    unlikePlain({
      ...withPlain(undefined),
      ...before(model),
      ...(Object.assign({}, ...(known.get(model)?.values() ?? [])) as Change),
      ...own,
    })
  return {
    /** The switches of a request to this model that differ from the plain ones. */
    switchesOf,
    /** Learns from a refusal. Undefined: there is nothing to learn. */
    learns({ model, switches }: Asked, refused: ModelRefused): Lesson | undefined {
      const present = switchesOf(model)
      // Another task may have learned it meanwhile.
      if (JSON.stringify(present) !== JSON.stringify(switches)) return { forget() {} }
      const [name, value] = Object.entries(learn(withPlain(present), refused) ?? {})[0] ?? []
      if (name === undefined || name in own) return undefined
      const lessons = known.get(model) ?? new Map<string, Change>()
      const lesson = `${name} ${value}`
      if (lessons.has(lesson) || (lessons.size === 0 && known.size >= mostModels)) return undefined
      known.set(model, lessons.set(lesson, { [name]: value }))
      return {
        forget() {
          lessons.delete(lesson)
          if (lessons.size === 0) known.delete(model)
        },
      }
    },
  }
}
