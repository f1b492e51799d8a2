// The calls that wait for a person, each with a form for its answer, and a call whose outcome nobody knows.
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Static } from 'typebox'
import { readJson } from '../../src/contract/json/exact-json.ts'
import type { PendingCallItem, ToolDefinition } from '../../src/contract/wire.ts'
import { outcomeUnknown, unknownCall } from '../../src/history/task-object.ts'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import { Problem } from '../ui/notice.tsx'
import { answerOf, createField, type Schema, SchemaForm } from '../ui/schema-form.tsx'
import { Approval } from './approval.tsx'
import type { TaskHistory } from './history.ts'

// A call whose outcome nobody knows: it runs again, or somebody gives its result.

const UnknownOutcome = ({
  name,
  callId,
  history,
}: {
  name: string
  callId: string
  history: TaskHistory
}) => {
  const text = useMemo(() => signal('The call has run.'), [callId])
  const { busy, error, run } = useMemo(createAction, [])
  const again = () =>
    run(async () => {
      await api.send('POST', `/tasks${at(history.id)}/resume`)
      history.refresh()
    })
  const give = () =>
    run(async () => {
      const tool_results = [{ call_id: callId, message_content: text.value }]
      await api.send('POST', `/tasks${at(history.id)}/input`, { tool_results })
      history.refresh()
    })
  return (
    <form
      class="call-answer"
      aria-label="Outcome unknown"
      onSubmit={event => {
        event.preventDefault()
        void give()
      }}
    >
      <h3>Did {name} run?</h3>
      <p class="hint">The server stopped while the call ran, so the log has its intent and no result.</p>
      <button type="button" class="primary" disabled={busy.value} onClick={() => void again()}>
        It did not: run it again
      </button>
      <label>
        <span>It did, with this result</span>
        <textarea rows={2} required {...bound(text)} />
      </label>
      <button type="submit" disabled={busy.value}>
        Use this result
      </button>
      <Problem text={error.value} />
    </form>
  )
}

// Finds the schema of the answer to a call (docs/decisions/93-forms-for-answers.md).

type Tool = Static<typeof ToolDefinition>

/** The arguments of a call; empty while they are no object. */
const argumentsOf = (call: PendingCallItem): Record<string, unknown> => {
  try {
    const given: unknown = readJson(call.arguments)
    return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
/**
 * The schema of the answer to a call: `schema` of its metadata or of its arguments, `returns` or `output_schema` of its tool, or a choice
 * from `options` or `choices` of its arguments. Undefined: the answer is a text.
 */
const answerSchemaOf = (call: PendingCallItem, tool: Tool | undefined): Schema | undefined => {
  const { schema, options, choices } = argumentsOf(call)
  const definition = (tool?.function ?? {}) as Record<string, unknown>
  const found = [call.metadata?.schema, schema, definition.returns, definition.output_schema].find(isSchema)
  const offered = [options, choices].find(Array.isArray)
  return found ?? (offered === undefined ? undefined : { enum: offered as unknown[], title: 'Answer' })
}

/** The arguments of a call, with the titles that the tool gives them. */
const Arguments = ({ call, tool }: { call: PendingCallItem; tool: Tool | undefined }) => {
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
  call: PendingCallItem
  tool: Tool | undefined
  history: TaskHistory
}) => {
  const schema = answerSchemaOf(call, tool)
  const field = useMemo(() => (schema === undefined ? undefined : createField(schema)), [call.call_id])
  const text = useMemo(() => signal(''), [call.call_id])
  const { busy, error, run } = useMemo(createAction, [call.call_id])
  const give = async (result: { message_content: string; status?: 'incomplete' }) => {
    await api.send('POST', `/tasks${at(history.id)}/input`, {
      tool_results: [{ call_id: call.call_id, ...result }],
    })
    history.refresh()
  }
  const send = async () => {
    const value = field === undefined ? text.value : answerOf(field)
    return give({ message_content: typeof value === 'string' ? value : JSON.stringify(value ?? null) })
  }
  const decline = () => run(() => give({ message_content: 'declined', status: 'incomplete' }))
  return (
    <Form class="call-answer" label={`Answer ${call.name}`} send={send}>
      <h3>{call.name}</h3>
      {call.metadata?.asked_by && <p class="hint">Asked by {call.metadata.asked_by}</p>}
      {call.metadata?.url && (
        <p>
          <a href={call.metadata.url} target="_blank" rel="noopener noreferrer">
            {call.metadata.url}
          </a>
        </p>
      )}
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
      {call.metadata?.asked_by && (
        <button type="button" disabled={busy.value} onClick={() => void decline()}>
          Decline
        </button>
      )}
      <FormProblem />
      <Problem text={error.value} />
    </Form>
  )
}

export const Pending = ({ history }: { history: TaskHistory }) => {
  void history.length.value // draws again when the newest view changes
  const { newest } = history.past
  const tools = newest.created?.request.client_tools ?? []
  const unknown = newest.reason === outcomeUnknown ? unknownCall(newest) : undefined
  if (newest.pendingCalls.length === 0 && unknown === undefined) return null
  return (
    <section class="pending panel" aria-label="Waits for you">
      <h2>Waits for you</h2>
      {unknown !== undefined && (
        <UnknownOutcome name={unknown.name} callId={unknown.callId} history={history} />
      )}
      {newest.pendingCalls.map(call =>
        call.metadata?.approval ? (
          <Approval key={call.call_id} call={call} history={history} />
        ) : (
          <Answer
            key={call.call_id}
            call={call}
            tool={tools.find(tool => tool.function.name === call.name)}
            history={history}
          />
        ),
      )}
    </section>
  )
}
