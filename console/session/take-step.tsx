// Takes a step in a session: a form for each tool, made from the schema of its arguments.
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'
import { answerOf, createField, type Schema, SchemaForm } from '../ui/schema-form.tsx'
import type { SessionHistory } from './history.ts'

export const TakeStep = ({ history }: { history: SessionHistory }) => {
  void history.length.value // the view changes with it
  const { tools, state, done } = history.view
  const names = tools.map(({ function: { name } }) => name).join()
  const chosen = useMemo(() => signal(tools[0]?.function.name ?? ''), [names])
  const tool = tools.find(each => each.function.name === chosen.value)
  const field = useMemo(
    () =>
      createField({ type: 'object', properties: {}, ...(tool?.function.parameters as Schema | undefined) }),
    [tool?.function.name, names],
  )
  const { busy, error, run } = useMemo(createAction, [])
  const send = (path: string, body: object) =>
    run(async () => {
      await api.send('POST', `/env/${path}`, { session_id: history.id, ...body })
      history.refresh()
    })
  if (state !== 'active') return <p class="hint">The session is closed.</p>
  return (
    <form
      class="call-answer"
      aria-label="Take a step"
      onSubmit={event => {
        event.preventDefault()
        void send('step', { tool_name: chosen.value, tool_args: answerOf(field) })
      }}
    >
      <label>
        <span>Tool</span>
        <select {...bound(chosen)}>
          {tools.map(({ function: { name } }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {tool?.function.description && <p class="hint">{tool.function.description}</p>}
      <SchemaForm key={tool?.function.name ?? ''} field={field} />
      {done && <p class="hint">The episode is over: reset the session before the next step.</p>}
      <div class="command-line">
        <button type="submit" class="primary" disabled={busy.value || done}>
          Take the step
        </button>
        <button type="button" disabled={busy.value} onClick={() => void send('reset', {})}>
          Reset
        </button>
        <button type="button" class="danger" disabled={busy.value} onClick={() => void send('close', {})}>
          Close
        </button>
      </div>
      <Problem text={error.value} />
    </form>
  )
}
