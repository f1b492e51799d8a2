// The settings of a cron job, and its next runs.
import { useEffect } from 'preact/hooks'
import { agents, readAgents } from '../home/agents.ts'
import { Facts } from '../ui/facts.tsx'
import { count, duration, In, moment } from '../ui/time.tsx'
import { type Job, nextRuns, whenOf } from './times.ts'

export const Settings = ({ job }: { job: Job }) => {
  useEffect(() => void readAgents().catch(() => {}), [])
  return (
    <section class="panel side-part" aria-label="Settings">
      <h2>Settings</h2>
      <Facts
        of={[
          ['When', whenOf(job)],
          ['Message', textOf(job.task.user_message_content)],
          ['Agent', agentOf(job)],
          ['User', job.user_id],
          ['Missed times', job.missed.replace('_', ' ')],
          ['Overlap', job.overlap],
          ['Jitter', job.jitter_seconds > 0 ? duration(job.jitter_seconds * 1000) : undefined],
          ['Runs', job.max_runs === undefined ? count(job.runs) : `${job.runs} of ${job.max_runs}`],
          ['At work', job.running > 0 ? job.running : undefined],
          ['Waiting', job.queued > 0 ? job.queued : undefined],
          ['Paused', job.paused_reason?.replaceAll('_', ' ')],
          ['Ends', job.ends_at && moment(Date.parse(job.ends_at))],
          ['Made', moment(Date.parse(job.created_at))],
        ]}
      />
    </section>
  )
}

/** Finds the agent as the server does: `client_id` may be the name of an agent, too. */
const agentOf = ({ task }: Job): string => {
  const { agent_config, client_id } = task as { agent_config?: { agent_id?: string }; client_id?: string }
  const isAgent = (name?: string) => agents.value.some(agent => agent.name === name)
  return [agent_config?.agent_id, client_id].find(isAgent) ?? 'the default'
}
const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

export const NextRuns = ({ job }: { job: Job }) => {
  const runs = nextRuns(job)
  return (
    <section class="panel side-part" aria-label="Next runs">
      <h2>Next runs</h2>
      {runs.length === 0 && <p class="hint">None: the job is {job.status}.</p>}
      <ol class="links">
        {runs.map(each => (
          <li key={each}>
            {moment(each)} <small>{<In at={each} />}</small>
          </li>
        ))}
      </ol>
    </section>
  )
}
