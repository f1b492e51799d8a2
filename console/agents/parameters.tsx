// What an agent reads from `agent_config`, as a list: its JSON Schema, with one row for each field.
import { type Schema, schemaIn } from '../ui/schema-form.tsx'

type Row = { path: string; schema: Schema; isRequired: boolean }

/** Fields of objects inside of each other, up to this depth. */
const deepest = 4

const typeWords = ({ type, enum: choices, items }: Schema, depth = 0): string => {
  if (choices !== undefined) return choices.map(choice => JSON.stringify(choice)).join(' or ')
  const named = [type ?? 'any value'].flat().join(' or ')
  const isList = named === 'array' && items !== undefined && depth < deepest
  return isList ? `list of ${typeWords(schemaIn(items), depth + 1)}` : named
}

const rowsOf = ({ properties = {}, required = [] }: Schema, outer = '', depth = 0): Row[] =>
  Object.entries(properties).flatMap(([name, given]) => {
    const schema = schemaIn(given)
    const path = outer === '' ? name : `${outer}.${name}`
    const inner = depth < deepest ? rowsOf(schema, path, depth + 1) : []
    return [{ path, schema, isRequired: required.includes(name) }, ...inner]
  })

export const Parameters = ({ schema }: { schema: Schema }) => {
  const rows = rowsOf(schemaIn(schema))
  return (
    <details>
      <summary>Parameters</summary>
      {rows.length === 0 ? (
        <pre>{JSON.stringify(schema, null, 2)}</pre>
      ) : (
        <dl class="parameters">
          {rows.map(({ path, schema: one, isRequired }) => (
            <div key={path}>
              <dt>
                <code>{path}</code>
              </dt>
              <dd>
                {typeWords(one)}
                {isRequired && <b> required</b>}
                {one.default !== undefined && ` default: ${JSON.stringify(one.default)}`}
                {(one.description ?? one.title) && <span class="hint">{one.description ?? one.title}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  )
}
