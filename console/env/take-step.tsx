// Takes a step of the session: a choice of the tool, and a form made from the JSON Schema of the tool.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { api } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import { answerOf, createField, type Schema, SchemaForm } from '../ui/schema-form.tsx'
import type { Tool } from './moments.ts'

const fieldOf = (tool: Tool) =>
  createField({ type: 'object', properties: {}, ...(tool.function.parameters as Schema), title: 'Arguments' })

const ToolForm = ({ sessionId, tool, done }: { sessionId: string; tool: Tool; done: () => void }) => {
  const field = useMemo(() => fieldOf(tool), [tool.function.name, JSON.stringify(tool.function.parameters)])
  const step = async () => {
    const body = { session_id: sessionId, tool_name: tool.function.name, tool_args: answerOf(field) }
    await api.send('POST', '/env/step', { ...body, stream: false })
    done()
  }
  return (
    <Form class="fields-below" send={step}>
      {tool.function.description && <p class="hint">{tool.function.description}</p>}
      <SchemaForm field={field} />
      <Submit label="Take the step" kind="primary" />
      <FormProblem />
    </Form>
  )
}

export const TakeStep = ({
  sessionId,
  tools,
  done,
}: {
  sessionId: string
  tools: readonly Tool[]
  done: () => void
}) => {
  const name = useSignal(tools[0]?.function.name ?? '')
  const tool = tools.find(each => each.function.name === name.value) ?? tools[0]
  if (tool === undefined) return <p class="hint">This environment offers no tools.</p>
  return (
    <div class="fields-below">
      <label>
        <span>Tool</span>
        <select {...bound(name)}>
          {tools.map(each => (
            <option key={each.function.name} value={each.function.name}>
              {each.function.name}
            </option>
          ))}
        </select>
      </label>
      <ToolForm key={tool.function.name} sessionId={sessionId} tool={tool} done={done} />
    </div>
  )
}
