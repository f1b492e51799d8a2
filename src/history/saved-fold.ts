// A saved fold is the view of a task for frames, as plain data. With it, a reader can begin in the middle of a long
// task. The saved fold holds the items that later events may still change or name. Earlier items are settled: the saved
// fold holds only their number, and readers find them in the table of items.

import type { TaskEventData } from '../contract/events/task-events.ts'
import { readJson } from '../contract/json/exact-json.ts'
import type { OutputItem } from '../contract/wire.ts'
import { emptyFramed, type FramedTask } from './task-view.ts'

/**
 * Raise this number whenever the fold gives another view for the same events: saved folds with another number are not
 * used.
 */
export const foldVersion = 3
/** The fold of a task is saved each time after this many events of its stream. */
export const savedEvery = 1000
/**
 * A number of characters. A longer fold is saved less often, so that all saved folds of a task together are about as
 * long as its stream.
 */
const normalLength = 1024 * 1024

type Created = TaskEventData<'TaskCreated'>
/** The fields of a view. Their values are plain, or Maps and Sets of plain values, which become lists. */
type Fields = Record<string, unknown>
type Saved = { settled: number; open: OutputItem[]; fields: Fields }

/**
 * Fields that are not saved as they are: `created` is in the first event, `output` and `indexOf` are made again from
 * the items, and `cutOff` is saved without settled items.
 */
const apart = new Set(['created', 'output', 'indexOf', 'cutOff'])

/**
 * The number of items that no later event changes or names: those before the newest completed step. Later events belong
 * to the calls of that step or to a later step.
 */
const settledOf = ({ output, indexOf, stepItems, saidItems, calls, wishedCalls }: FramedTask): number => {
  const said = [...calls.values(), ...wishedCalls.values()].flatMap(call => [
    call.itemId,
    call.said?.itemId ?? call.itemId,
    ...(call.saying ?? []).map(({ item_id }) => item_id),
  ])
  return [...stepItems, ...saidItems, ...said].reduce(
    (first, id) => Math.min(first, indexOf.get(id) ?? first),
    output.length,
  )
}

const plainOf = (value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : value
/** A plain value as a Map or a Set again, if the empty view has one in this field. */
const valueAs = (empty: unknown, plain: unknown): unknown => {
  if (empty instanceof Map) return new Map(plain as [unknown, unknown][])
  return empty instanceof Set ? new Set(plain as unknown[]) : plain
}

const isDue = (revision: number, length: number): boolean =>
  (revision + 1) % (savedEvery * Math.max(1, Math.ceil(length / normalLength))) === 0

/** The view as the text of a saved fold. */
export const foldText = (view: FramedTask): string => {
  const settled = settledOf(view)
  const fields: Fields = {}
  for (const name of Object.keys(emptyFramed())) {
    if (!apart.has(name)) fields[name] = plainOf(view[name as keyof FramedTask])
  }
  fields.cutOff = [...view.cutOff].filter(([id]) => (view.indexOf.get(id) ?? 0) >= settled)
  return JSON.stringify({ settled, open: view.output.slice(settled), fields } satisfies Saved)
}

/** The text of the saved fold when one is due after the newest event of the view; otherwise undefined. */
export const savedFold = (view: FramedTask): string | undefined => {
  if ((view.revision + 1) % savedEvery !== 0) return undefined
  const text = foldText(view)
  return isDue(view.revision, text.length) ? text : undefined
}

/**
 * A view from a saved fold. The first `settled` items of its output are missing until the function `settle` adds them.
 */
export type BegunFold = { view: FramedTask; settled: number }

export const restoredFold = (text: string, created: Created): BegunFold => {
  const { settled, open, fields } = readJson(text) as Saved
  const empty = emptyFramed()
  const values = Object.fromEntries(
    Object.entries(fields).map(([name, plain]) => [name, valueAs(empty[name as keyof FramedTask], plain)]),
  )
  const view: FramedTask = { ...empty, ...values, created }
  view.output = new Array<OutputItem>(settled).concat(open)
  for (const [n, { id = '' }] of open.entries()) view.indexOf.set(id, settled + n)
  return { view, settled }
}

/** Adds the settled items to an output that lacks them. */
export const settle = (output: OutputItem[], items: readonly OutputItem[]): void => {
  for (const [n, item] of items.entries()) output[n] = item
}
