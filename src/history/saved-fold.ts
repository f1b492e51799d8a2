// The fold of a task's frames as plain data, so that a reader begins in the middle of a long task. It holds what later events
// may still change or speak of; the items before that are settled: only their number is kept, and they are read where they
// are stored.
import type { TaskEventData } from '../contract/task-events.ts'
import type { OutputItem } from '../contract/wire.ts'
import { emptyFramed, type FramedTask } from './task-view.ts'

/** Raised whenever the fold of frames gives another state for the same events: what older versions saved is not used. */
export const foldVersion = 1
/** A task's fold is saved after so many events of its stream, and after each multiple of them. */
export const savedEvery = 1000
/** One that is longer is saved so much more rarely, so that what is saved stays of the length of the stream, characters. */
const usualLength = 1024 * 1024

type Created = TaskEventData<'TaskCreated'>
/** The fields of a view whose values are plain already, or Maps and Sets of plain values, which become lists. */
type Fields = Record<string, unknown>
type Saved = { settled: number; open: OutputItem[]; fields: Fields }

/** Kept apart: the request may be long and stands in the first event; items are counted and listed. */
const apart = new Set(['created', 'output', 'indexOf', 'cutOff'])

/**
 * How many items no later event changes or names: all before the newest completed step, since what comes belongs to the
 * calls of that step or to a step after it.
 */
const settledOf = ({ output, indexOf, stepItems, saidItems, calls }: FramedTask): number => {
  const said = [...calls.values()].flatMap(call => [call.itemId, call.said?.itemId ?? call.itemId])
  return [...stepItems, ...saidItems, ...said].reduce(
    (first, id) => Math.min(first, indexOf.get(id) ?? first),
    output.length,
  )
}

const plainOf = (value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : value
/** The value as the empty view has it. */
const valueAs = (empty: unknown, plain: unknown): unknown => {
  if (empty instanceof Map) return new Map(plain as [unknown, unknown][])
  return empty instanceof Set ? new Set(plain as unknown[]) : plain
}

const isDue = (revision: number, length: number): boolean =>
  (revision + 1) % (savedEvery * Math.max(1, Math.ceil(length / usualLength))) === 0

/** The fold as text. */
export const foldText = (view: FramedTask): string => {
  const settled = settledOf(view)
  const fields: Fields = {}
  for (const name of Object.keys(emptyFramed())) {
    if (!apart.has(name)) fields[name] = plainOf(view[name as keyof FramedTask])
  }
  fields.cutOff = [...view.cutOff].filter(id => (view.indexOf.get(id) ?? 0) >= settled)
  return JSON.stringify({ settled, open: view.output.slice(settled), fields } satisfies Saved)
}

/** The fold as text, when one is to be saved after the event that the view has taken last. */
export const savedFold = (view: FramedTask): string | undefined => {
  if ((view.revision + 1) % savedEvery !== 0) return undefined
  const text = foldText(view)
  return isDue(view.revision, text.length) ? text : undefined
}

/** A view as it was saved: the first items of its output are not there, and nobody may ask for them until they are put in. */
export type BegunFold = { view: FramedTask; settled: number }

export const restoredFold = (text: string, created: Created): BegunFold => {
  const { settled, open, fields } = JSON.parse(text) as Saved
  const empty = emptyFramed()
  const values = Object.fromEntries(
    Object.entries(fields).map(([name, plain]) => [name, valueAs(empty[name as keyof FramedTask], plain)]),
  )
  const view: FramedTask = { ...empty, ...values, created }
  view.output = new Array<OutputItem>(settled).concat(open)
  for (const [n, { id = '' }] of open.entries()) view.indexOf.set(id, settled + n)
  return { view, settled }
}

/** Puts the settled items into a list that begins without them. */
export const settle = (output: OutputItem[], items: readonly OutputItem[]): void => {
  for (const [n, item] of items.entries()) output[n] = item
}
