// How much an answer may have. The log stores all of it, and each later request may carry it.
import type { Answer, Heard } from './endpoint.ts'
import { ModelRefused } from './failures.ts'

/** The largest number of tool calls in one answer. */
const maxCalls = 128
/** The largest number of characters in all texts and calls of one answer together, and in its extras. */
const maxCharacters = 8 * 1024 * 1024
/** So deep may values be nested that an endpoint wants back. */
const deepest = 64

/** Throws when an answer has so many calls. */
export const checkCalls = (count: number): void => {
  if (count > maxCalls) throw new ModelRefused(`the model made more than ${maxCalls} calls at once`)
}

/** Whether a value has at most this many levels of lists and objects. */
export const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every(inner => isWithin(inner, depth - 1)))

/** Throws when the endpoint wants more back with its answer than a log should hold. */
export const checkExtras = ({ calls, response: { kept, call_ids } }: Answer): void => {
  if (!isWithin(kept, deepest)) {
    throw new ModelRefused(
      `what the model's endpoint wants back with its answer is nested deeper than ${deepest} levels`,
    )
  }
  const names = calls.map(({ name }) => name)
  if (JSON.stringify([kept, call_ids, names]).length > maxCharacters) {
    throw new ModelRefused(
      "what the model's endpoint wants back with its answer is longer than 8 Mi characters",
    )
  }
}

/** Throws when the pieces so far are more than an answer may have. */
export const createBounds = () => {
  let characters = 0
  const calls = new Set<string>()
  return {
    characters: () => characters,
    within(heard: Heard[]): Heard[] {
      for (const piece of heard) {
        characters += piece.text.length
        if (piece.kind !== 'call' || calls.has(piece.call)) continue
        calls.add(piece.call)
        characters += piece.name.length
      }
      if (characters > maxCharacters)
        throw new ModelRefused("the model's answer is longer than 8 Mi characters")
      checkCalls(calls.size)
      return heard
    },
  }
}
