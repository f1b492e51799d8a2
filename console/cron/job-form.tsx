// A form that creates a cron job.
import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { missedPolicies, overlapPolicies } from '../../src/contract/wire/cron-policies.ts'
import { at } from '../api/client.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { agents, readAgents } from '../home/agents.ts'
import { bound } from '../ui/bound.ts'
import { New } from '../ui/new.tsx'
import { bodyOf, createDraft, type Draft, kinds } from './job-draft.ts'
import type { Job } from './times.ts'

const Choice = ({ label, of, value }: { label: string; of: readonly string[]; value: Signal<string> }) => (
  <label>
    <span>{label}</span>
    <select {...bound(value)}>
      {of.map(each => (
        <option key={each} value={each}>
          {each.replace('_', ' ')}
        </option>
      ))}
    </select>
  </label>
)

const When = ({ draft }: { draft: Draft }) => (
  <div class="fields">
    <label>
      <span>When</span>
      <select {...bound(draft.kind as Signal<string>)}>
        {Object.entries(kinds).map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
    </label>
    {draft.kind.value === 'schedule' && (
      <label class="grow">
        <span>Pattern: minute, hour, day, month, weekday</span>
        <input class="code" required {...bound(draft.schedule)} />
      </label>
    )}
    {draft.kind.value === 'every' && (
      <label class="grow">
        <span>Seconds between two runs</span>
        <input type="number" min="1" required {...bound(draft.every)} />
      </label>
    )}
    {draft.kind.value === 'at' && (
      <label class="grow">
        <span>Time</span>
        <input type="datetime-local" required {...bound(draft.at)} />
      </label>
    )}
    {draft.kind.value !== 'every' && (
      <label>
        <span>Time zone</span>
        <input required {...bound(draft.timezone)} />
      </label>
    )}
  </div>
)

export const JobForm = () => {
  const draft = useMemo(createDraft, [])
  useEffect(() => void readAgents().catch(() => {}), [])
  const make = async () => {
    const { job_id } = await api.send<Job>('POST', '/cron/jobs', bodyOf(draft))
    go(hrefOf(`/cron${at(job_id)}`))
  }
  return (
    <New title="Create a cron job" make={make}>
      <label>
        <span>Name</span>
        <input required {...bound(draft.name)} />
      </label>
      <When draft={draft} />
      <label>
        <span>Message to the agent</span>
        <textarea rows={2} required {...bound(draft.message)} />
      </label>
      <div class="fields">
        <label>
          <span>Agent</span>
          <select {...bound(draft.agent)}>
            <option value="">Default agent</option>
            {agents.value.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Choice label="Times missed while away" of={missedPolicies} value={draft.missed} />
        <Choice label="While a run is at work" of={overlapPolicies} value={draft.overlap} />
      </div>
    </New>
  )
}
