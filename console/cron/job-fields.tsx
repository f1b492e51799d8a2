// The fields of a cron job.
import { useEffect } from 'preact/hooks'
import { cronSettings } from '../../src/contract/wire/cron-settings.ts'
import { agents, readAgents } from '../home/agents.ts'
import { Area, Choice, Text } from '../ui/fields.tsx'
import { type Draft, kinds } from './job-draft.ts'

const inWords = (names: readonly string[]) => names.map(name => [name, name.replace('_', ' ')] as const)

const When = ({ draft }: { draft: Draft }) => {
  const kind = draft.kind.value
  return (
    <div class="fields">
      <Choice label="When" value={draft.kind} of={Object.entries(kinds)} />
      {kind === 'schedule' && (
        <Text
          label="Pattern: minute, hour, day, month, weekday"
          at="schedule"
          isWide
          class="code"
          required
          value={draft.schedule}
        />
      )}
      {kind === 'every' && (
        <Text
          label="Seconds between two runs"
          at="every_seconds"
          isWide
          type="number"
          min="1"
          required
          value={draft.every}
        />
      )}
      {kind === 'at' && (
        <Text label="Time" at="at" isWide type="datetime-local" step="1" required value={draft.at} />
      )}
      <Text label="Time zone" at="timezone" required value={draft.timezone} />
    </div>
  )
}

const How = ({ draft }: { draft: Draft }) => (
  <div class="fields">
    {cronSettings.map(([name, { form, label, values = [], minimum }]) => {
      const field = { label, at: name, value: draft[name] }
      if (form === 'choice') return <Choice key={name} {...field} of={inWords(values)} />
      if (form === 'number') return <Text key={name} {...field} type="number" min={String(minimum)} />
      return <Text key={name} {...field} type="datetime-local" step="1" />
    })}
  </div>
)

/** `isTaskFixed`: the form cannot change the task that each run creates. */
export const JobFields = ({ draft, isTaskFixed = false }: { draft: Draft; isTaskFixed?: boolean }) => {
  useEffect(() => void readAgents().catch(() => {}), [])
  const names = new Set([...agents.value.map(({ name }) => name), draft.agent.value])
  names.delete('')
  return (
    <>
      <Text label="Name" at="name" required value={draft.name} />
      <When draft={draft} />
      {isTaskFixed ? (
        <p class="hint">
          The task has secret values, images or files, which this form cannot show. Change it with PATCH
          /v1/cron/jobs.
        </p>
      ) : (
        <>
          <Area
            label="Message to the agent"
            at="task.user_message_content"
            rows={2}
            required
            value={draft.message}
          />
          <Choice
            label="Agent"
            at="task.agent_config"
            value={draft.agent}
            of={[['', 'Default agent'], ...[...names].map(name => [name, name] as const)]}
          />
        </>
      )}
      <How draft={draft} />
    </>
  )
}
