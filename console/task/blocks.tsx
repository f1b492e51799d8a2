// The blocks that an agent or a tool gives beside a text. A block with rows is shown as a table, others as JSON.
import type { Block } from '../../src/contract/wire.ts'
import { Scrolling } from '../ui/scrolling.tsx'

/** A value as a cell shows it. */
const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

type Table = { columns: string[]; rows: unknown[][] }
/** The rows of a block, as lists or as objects; undefined when it is no table. */
const tableOf = ({ rows, columns }: Block): Table | undefined => {
  if (!Array.isArray(rows) || rows.length === 0) return undefined
  const named = Array.isArray(columns)
    ? columns.map(column =>
        typeof column === 'object' && column !== null && 'name' in column
          ? String(column.name)
          : cell(column),
      )
    : undefined
  if (rows.every(Array.isArray)) return { columns: named ?? [], rows: rows as unknown[][] }
  if (!rows.every(row => typeof row === 'object' && row !== null)) return undefined
  const objects = rows as Record<string, unknown>[]
  const keys = named ?? [...new Set(objects.flatMap(row => Object.keys(row)))]
  return { columns: keys, rows: objects.map(row => keys.map(key => row[key])) }
}

export const Blocks = ({ blocks }: { blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, n) => {
      const table = tableOf(block)
      if (table === undefined) return <pre key={`${n}`}>{JSON.stringify(block, null, 2)}</pre>
      return (
        <Scrolling key={`${n}`} class="scroll" label="Table">
          <table class="block">
            <thead>
              <tr>
                {table.columns.map(column => (
                  <th key={column}>{column}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row, at) => (
                <tr key={`${at}`}>
                  {row.map((value, column) => (
                    <td key={`${column}`}>{cell(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )
    })}
  </>
)
