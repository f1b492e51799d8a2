// The calls that wait for a person, each with a form for its answer, and a call whose outcome nobody knows.
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { ToolCallItem } from '../../src/contract/wire.ts'
import { openCalls } from '../../src/history/task/calls.ts'
import { outcomeUnknown } from '../../src/history/task-object.ts'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import { answerOf, createField, type Schema, SchemaForm } from '../ui/schema-form.tsx'
import { answerSchemaOf, argumentsOf, type Tool } from './answer-schema.ts'
import type { TaskHistory } from './history.ts'
import { UnknownOutcome } from './unknown-outcome.tsx'

/** The arguments of a call, with the titles that the tool gives them. */
const Arguments = ({ call, tool }: { call: ToolCallItem; tool: Tool | undefined }) => {
  const { properties = {} } = (tool?.function.parameters ?? {}) as Schema
  return (
    <dl class="facts">
      {Object.entries(argumentsOf(call)).map(([name, value]) => (
        <div key={name}>
          <dt>{properties[name]?.title ?? name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

const Answer = ({
  call,
  tool,
  history,
}: {
  call: ToolCallItem
  tool: Tool | undefined
  history: TaskHistory
}) => {
  const schema = answerSchemaOf(call, tool)
  const field = useMemo(() => (schema === undefined ? undefined : createField(schema)), [call.call_id])
  const text = useMemo(() => signal(''), [call.call_id])
  const send = async () => {
    const value = field === undefined ? text.value : answerOf(field)
    const message_content = typeof value === 'string' ? value : JSON.stringify(value ?? null)
    await api.send('POST', `/tasks${at(history.id)}/input`, {
      tool_results: [{ call_id: call.call_id, message_content }],
    })
    history.refresh()
  }
  return (
    <Form class="call-answer" label={`Answer ${call.name}`} send={send}>
      <h3>{call.name}</h3>
      {tool?.function.description && <p class="hint">{tool.function.description}</p>}
      <Arguments call={call} tool={tool} />
      {field === undefined ? (
        <label>
          <span>Answer</span>
          <textarea rows={2} required {...bound(text)} />
        </label>
      ) : (
        <SchemaForm field={field} />
      )}
      <Submit label="Answer" kind="primary" />
      <FormProblem />
    </Form>
  )
}

export const Pending = ({ history }: { history: TaskHistory }) => {
  void history.length.value // draws again when the newest view changes
  const { newest } = history.past
  const tools = newest.created?.request.client_tools ?? []
  const unknown = newest.reason === outcomeUnknown ? openCalls(newest)[0] : undefined
  if (newest.pendingCalls.length === 0 && unknown === undefined) return null
  return (
    <section class="pending panel" aria-label="Waits for you">
      <h2>Waits for you</h2>
      {unknown !== undefined && (
        <UnknownOutcome name={unknown.name} callId={unknown.callId} history={history} />
      )}
      {newest.pendingCalls.map(call => (
        <Answer
          key={call.call_id}
          call={call}
          tool={tools.find(tool => tool.function.name === call.name)}
          history={history}
        />
      ))}
    </section>
  )
}
