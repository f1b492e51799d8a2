// Compares two stores of read models row by row, in the order of their keys, so that long tables need little memory.
import { readJson } from '../src/contract/json/exact-json.ts'
import { isTaskStream, taskIdOf } from '../src/contract/task-stream.ts'
import type { ReadStore } from './store.ts'

export type Difference = {
  table: string
  /** The key of the row, with the id of a task in place of its position. */
  row: string
  /** A column, or a field of a JSON column; `row` when only one store has the row. */
  field: string
  stored: unknown
  replayed: unknown
}

/**
 * Tables that may differ, so they are not compared: the checkpoint, the list of files that are still to be written,
 * saved folds (some may be missing), the list of tasks whose items in progress may be behind, and the list of streams
 * whose content is being erased, with the note that the file has traces of them.
 */
const notCompared = new Set(['checkpoint', 'erasing', 'task_files', 'saved_folds', 'talking_tasks', 'traces'])
/** Conditions in SQL by table, for rows that mean the same as no row. Such rows are not compared. */
const empty: Record<string, string> = { task_counts: 'tasks = 0' }

type Row = Record<string, unknown>
/** `task`: the column that names the task of a row. */
type Table = { name: string; key: string[]; task: string | undefined }

const tablesOf = (store: ReadStore): Table[] =>
  store
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all()
    .filter(name => !notCompared.has(name))
    .map(name => {
      const columns = store.pragma(`table_info(${name})`) as { name: string; pk: number }[]
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
      const task = name === 'tasks' ? 'position' : columns.find(column => column.name === 'task')?.name
      return { name, key: key.map(column => column.name), task }
    })

/** Compares two values as SQLite orders them: texts by their bytes. */
const order = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

const orderOf = (key: string[], a: Row | undefined, b: Row | undefined): number => {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  return key.map(column => order(a[column], b[column])).find(way => way !== 0) ?? 0
}

const objectIn = (text: unknown): Row | undefined => {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined
  try {
    return readJson(text) as Row
  } catch {
    return undefined
  }
}

/** Whether a row of the table of items holds an item in progress. */
const isOpen = (row: Row | undefined): boolean => objectIn(row?.body)?.status === 'in_progress'

/**
 * Returns the columns that differ. For a column with a JSON object, it returns the fields of the object that differ.
 */
const differing = (stored: Row, replayed: Row): Pick<Difference, 'field' | 'stored' | 'replayed'>[] =>
  [...new Set([...Object.keys(stored), ...Object.keys(replayed)])].flatMap(field => {
    const [one, other] = [stored[field], replayed[field]]
    if (JSON.stringify(one) === JSON.stringify(other)) return []
    const [a, b] = [objectIn(one), objectIn(other)]
    const inside = a === undefined || b === undefined ? [] : differing(a, b)
    // A text that differs counts as a difference, even when all its fields are equal.
    return inside.length > 0 ? inside : [{ field, stored: one ?? null, replayed: other ?? null }]
  })

/** Pairs the rows with equal keys. When only one store has a row, undefined takes the place of the other row. */
function* paired(
  key: string[],
  stored: Iterator<Row, undefined>,
  replayed: Iterator<Row, undefined>,
): Generator<[Row | undefined, Row | undefined]> {
  try {
    let [one, other] = [stored.next().value, replayed.next().value]
    while (one !== undefined || other !== undefined) {
      const way = orderOf(key, one, other)
      yield [way <= 0 ? one : undefined, way >= 0 ? other : undefined]
      if (way <= 0) one = stored.next().value
      if (way >= 0) other = replayed.next().value
    }
  } finally {
    stored.return?.()
    replayed.return?.()
  }
}

/** The positions of the tasks whose content is being removed from the tables. */
const beingErased = (store: ReadStore): Set<number> => {
  const positionOf = store.prepare<[string], number>('SELECT position FROM tasks WHERE id = ?').pluck()
  const left = store.prepare<[], string>('SELECT streams FROM erasing').pluck().all()
  const streams = left.flatMap(text => JSON.parse(text) as string[]).filter(isTaskStream)
  return new Set(streams.flatMap(stream => positionOf.get(taskIdOf(stream)) ?? []))
}

/**
 * Yields all differences. Neither store may change meanwhile. With `task`, only the rows of the task that was created
 * at this position are compared.
 */
export function* differences(stored: ReadStore, replayed: ReadStore, task?: number): Generator<Difference> {
  const idAt = (store: ReadStore, position: unknown): string | undefined =>
    store.prepare<[unknown], string>('SELECT id FROM tasks WHERE position = ?').pluck().get(position)
  const idOf = (position: unknown): string =>
    idAt(replayed, position) ?? idAt(stored, position) ?? String(position)

  const erasing = beingErased(stored)
  const talking = new Set(stored.prepare<[], number>('SELECT task FROM talking_tasks').pluck().all())
  for (const { name, key, task: owner } of tablesOf(replayed)) {
    if (task !== undefined && owner === undefined) continue
    if (name === 'task_counts' && erasing.size > 0) continue
    const where = task === undefined ? `NOT (${empty[name] ?? 'false'})` : `${owner} = ${task}`
    const rowsOf = (store: ReadStore) =>
      store
        .prepare<[], Row>(`SELECT * FROM ${name} WHERE ${where} ORDER BY ${key.join(', ')}`)
        .iterate() as Iterator<Row, undefined>
    for (const [one, other] of paired(key, rowsOf(stored), rowsOf(replayed))) {
      const found = one ?? other ?? {}
      if (owner !== undefined && erasing.has(found[owner] as number)) continue
      if (name === 'items' && talking.has(found.task as number) && isOpen(other)) continue
      const label = () =>
        key.map(column => (column === owner ? idOf(found[column]) : found[column])).join(' ')
      const fields =
        one === undefined || other === undefined
          ? [{ field: 'row', stored: one ?? null, replayed: other ?? null }]
          : differing(one, other)
      for (const each of fields) yield { table: name, row: label(), ...each }
    }
  }
}
