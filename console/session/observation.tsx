// What an environment shows: a grid or a board as text, tables, a terminal, files, and all else as JSON.
import { Blocks } from '../task/blocks.tsx'

const isText = (value: unknown): value is string => typeof value === 'string'
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names of fields whose text is drawn as it is: boards, grids, terminals. */
const drawn = ['text', 'board', 'ascii', 'screen', 'stdout', 'stderr', 'output', 'diff']

const isDrawing = (value: unknown): boolean => isText(value) && value.includes('\n')

const Field = ({ name, value }: { name: string; value: unknown }) => {
  if (isText(value) && (drawn.includes(name) || value.includes('\n'))) return <pre class="drawn">{value}</pre>
  if (Array.isArray(value) && value.length > 0 && value.every(isRecord))
    return <Blocks blocks={[{ type: 'table', rows: value }]} />
  if (isRecord(value) && Object.values(value).some(inner => isText(inner) && inner.includes('\n')))
    return <Observation seen={value} />
  return <code>{isText(value) ? value : JSON.stringify(value)}</code>
}

/** Drawings come first, since they say most. */
const inOrder = (seen: Record<string, unknown>) =>
  Object.entries(seen).toSorted(([, a], [, b]) => Number(isDrawing(b)) - Number(isDrawing(a)))

export const Observation = ({ seen }: { seen: Record<string, unknown> }) => (
  <dl class="seen">
    {inOrder(seen).map(([name, value]) => (
      <div key={name}>
        <dt>{name.replaceAll('_', ' ')}</dt>
        <dd>
          <Field name={name} value={value} />
        </dd>
      </div>
    ))}
  </dl>
)
