// Compares two tasks: their frames, their output and their stored events. Ids and times do not count.

import { taskEvents } from '../../contract/decoders/task.ts'
import { canonical } from '../../contract/json/canonical.ts'
import type { Difference, DiffFact } from '../../contract/responses.ts'
import type { OutputItem } from '../../contract/wire.ts'
import type { ReadStream } from '../context.ts'
import { createRenderer } from '../frame-renderer.ts'
import { createContents, isTiming } from './content.ts'

type Pair<T> = { left: T | null; right: T | null; same: boolean }

/** The most stored events that an answer names. */
export const mostFacts = 100

type Side = { fact: DiffFact; content: string; frames: string[] }

/** The stored events of a task in order, each with its content and the contents of its frames. */
async function* sideOf(read: ReadStream, stream: string, items: OutputItem[][]): AsyncGenerator<Side> {
  const renderer = createRenderer(read)
  const [ofFrames, ofFacts] = [createContents(), createContents()]
  for await (const page of read(stream)) {
    for (const stored of page) {
      const { header } = stored
      const { type, data } = taskEvents.read(stored)
      const frames = await renderer.render(stored)
      if (isTiming(type)) continue
      const fact = { revision: header.revision, sequence_number: header.seq ?? 0, type }
      yield {
        fact,
        content: canonical(ofFacts({ type, data })),
        frames: frames.map(frame => canonical(ofFrames(frame))),
      }
    }
  }
  items.push([...renderer.view.output])
}

/** Compares the frames of two tasks, each with the frame of the same number. */
const createFrames = () => {
  let first: number | null = null
  let before = 0
  let [left, right]: [string[], string[]] = [[], []]
  return {
    take(more: { left: string[]; right: string[] }): void {
      if (first !== null) return
      left = [...left, ...more.left]
      right = [...right, ...more.right]
      const both = Math.min(left.length, right.length)
      const differs = left.slice(0, both).findIndex((frame, n) => frame !== right[n])
      if (differs !== -1) first = before + differs
      before += both
      left = left.slice(both)
      right = right.slice(both)
    },
    /** The number of the first frame that differs. A task that has fewer frames differs after its last one. */
    first: (): number | null => first ?? (left.length + right.length > 0 ? before : null),
  }
}

const pairsOf = ([left = [], right = []]: OutputItem[][]): Pair<OutputItem>[] => {
  const contents = [left, right].map(items => {
    const contentOf = createContents()
    return items.map(item => canonical(contentOf(item)))
  })
  return Array.from({ length: Math.max(left.length, right.length) }, (_, n) => ({
    left: left[n] ?? null,
    right: right[n] ?? null,
    same: contents[0]?.[n] === contents[1]?.[n],
  }))
}

/** Compares two streams event by event. Throws DamagedEvent. */
export const compare = async (read: ReadStream, left: string, right: string): Promise<Difference> => {
  const items: [OutputItem[][], OutputItem[][]] = [[], []]
  const [one, other] = [sideOf(read, left, items[0]), sideOf(read, right, items[1])]
  const frames = createFrames()
  const facts: Pair<DiffFact>[] = []
  for (;;) {
    const [{ value: mine }, { value: theirs }] = await Promise.all([one.next(), other.next()])
    if (!mine && !theirs) break
    frames.take({ left: mine?.frames ?? [], right: theirs?.frames ?? [] })
    const same = mine?.content === theirs?.content
    if (!same && facts.length < mostFacts) {
      facts.push({ left: mine?.fact ?? null, right: theirs?.fact ?? null, same })
    }
  }
  return { first_divergence: frames.first(), items: pairsOf([items[0][0] ?? [], items[1][0] ?? []]), facts }
}
