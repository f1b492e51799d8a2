// Draws the world at a moment as a board, a map, tables, a terminal, or JSON. The shape of the observation or the state
// decides, so the world of a user's own environment is drawn in the same way when it has such a shape.
import { Blocks } from '../task/blocks.tsx'
import { Board, squaresOf } from './board.tsx'
import { Grid, rowsOf } from './grid.tsx'
import type { Moment } from './moments.ts'
import { Files, isFiles, Terminal } from './workspace.tsx'

type Table = { name: string; type?: string; columns: unknown[]; rows: number }
const isTables = (value: unknown): value is Table[] =>
  Array.isArray(value) && value.every(each => typeof each?.name === 'string' && Array.isArray(each?.columns))

const columnOf = (column: unknown): string => {
  if (typeof column === 'string') return column
  const { name, type } = (column ?? {}) as { name?: unknown; type?: unknown }
  return typeof name === 'string'
    ? `${name}${typeof type === 'string' ? ` ${type}` : ''}`
    : JSON.stringify(column)
}

const Tables = ({ tables }: { tables: readonly Table[] }) =>
  tables.length === 0 ? (
    <p class="hint">The database has no tables.</p>
  ) : (
    <Blocks
      blocks={[
        {
          type: 'table',
          columns: ['Table', 'Columns', 'Rows'],
          rows: tables.map(({ name, columns, rows }) => [name, columns.map(columnOf).join(', '), rows]),
        },
      ]}
    />
  )

/** The texts, numbers and booleans in an observation, without those that `leave` names. */
const Words = ({ of, leave }: { of: Record<string, unknown>; leave: readonly string[] }) => {
  const facts = Object.entries(of).filter(
    ([name, value]) => !leave.includes(name) && ['string', 'number', 'boolean'].includes(typeof value),
  )
  return facts.length === 0 ? null : (
    <p class="world-facts">
      {facts.map(([name, value]) => (
        <span key={name}>
          <small>{name.replaceAll('_', ' ')}</small> {String(value)}
        </span>
      ))}
    </p>
  )
}

const drawn = (moment: Moment, past: readonly Moment[]) => {
  const { observation, observed } = moment
  const squares = typeof observation.fen === 'string' ? squaresOf(observation.fen) : undefined
  if (squares !== undefined)
    return (
      <>
        <Board squares={squares} side={observation.side} lastMove={observation.last_move} />
        <Words of={observation} leave={['fen', 'board']} />
      </>
    )
  const rows = rowsOf(observed.text)
  if (rows !== undefined)
    return (
      <>
        <Grid rows={rows} agent={observed.agent} radius={observed.view_radius} />
        <Words of={observation} leave={['text']} />
      </>
    )
  if (isTables(observed.tables)) return <Tables tables={observed.tables} />
  if (isFiles(observed.files))
    return (
      <>
        <Terminal moments={past} />
        <Files files={observed.files} />
      </>
    )
  return undefined
}

const Raw = ({ moment }: { moment: Moment }) => (
  <>
    <h3>Observation</h3>
    <pre>{JSON.stringify(moment.observation, null, 2)}</pre>
    <h3>State</h3>
    <pre>{JSON.stringify(moment.observed, null, 2)}</pre>
  </>
)

/** `past`: the moments up to this one since the newest create or reset. */
export const Observation = ({ moment, past }: { moment: Moment; past: readonly Moment[] }) => {
  const picture = drawn(moment, past)
  if (picture === undefined) return <Raw moment={moment} />
  return (
    <>
      {picture}
      <details class="raw">
        <summary>As JSON</summary>
        <Raw moment={moment} />
      </details>
    </>
  )
}
