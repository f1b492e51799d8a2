// The fields of a webhook.
import { eventNames } from '../../src/contract/events/public-events.ts'
import { Area, Text } from '../ui/fields.tsx'
import { useFieldProblem } from '../ui/form.tsx'
import { Problem } from '../ui/notice.tsx'
import type { Draft } from './webhook-draft.ts'

const Types = ({ types }: Pick<Draft, 'types'>) => {
  const problem = useFieldProblem('types')
  const toggle = (type: string) => {
    const { value } = types
    types.value = value.includes(type) ? value.filter(each => each !== type) : [...value, type]
  }
  return (
    <fieldset class="choices">
      <legend>Types of events. If none is chosen, all but WebhookDisabled and those of environments</legend>
      {eventNames.map(type => (
        <label key={type} class="check">
          <input type="checkbox" checked={types.value.includes(type)} onChange={() => toggle(type)} />
          <span>{type}</span>
        </label>
      ))}
      <Problem text={problem} />
    </fieldset>
  )
}

export const WebhookFields = ({ draft }: { draft: Draft }) => (
  <>
    <div class="fields">
      <Text
        label="URL of the receiver"
        at="url"
        isWide
        type="url"
        required
        placeholder="https://"
        value={draft.url}
      />
      <Text label="Session, or nothing" at="session_id" value={draft.session} />
      <Text label="Task, or nothing" at="task_id" value={draft.task} />
    </div>
    <Types types={draft.types} />
    <Area
      label="Headers to send, one in each line"
      at="headers"
      class="code"
      rows={2}
      spellcheck={false}
      placeholder="X-Name: value"
      value={draft.headers}
    />
  </>
)
