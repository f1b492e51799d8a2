// A table whose rows are cards on a narrow screen, as in the table of tasks.
import type { ComponentChildren } from 'preact'

/**
 * `class`: `main`, the column that names the row; `state`; `number`, or `number age` for an age; `less`, which narrow
 * screens leave out; `buttons`, or `buttons when-wanted` for buttons that a row shows while it is pointed at.
 */
type Column<T> = { title: string; class?: string; show: (row: T) => ComponentChildren }
type Props<T> = {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
}

export const Table = <T,>({ caption, columns, rows, keyOf }: Props<T>) => (
  <table class="tasks rows">
    <caption class="unseen">{caption}</caption>
    <thead>
      <tr>
        {columns.map(column => (
          <th key={column.title} class={column.class ?? ''}>
            <span class={column.class?.startsWith('buttons') ? 'unseen' : ''}>{column.title}</span>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <tr key={keyOf(row)}>
          {columns.map(column => (
            <td key={column.title} class={column.class ?? ''} data-label={column.title.toLowerCase()}>
              {column.show(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
