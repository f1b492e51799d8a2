// One cron job: its next runs, its run history, and what can be done with it.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { at } from '../api/api.ts'
import { readList } from '../api/listed.ts'
import { go, hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { agents, readAgents } from '../home/agents.ts'
import { Act } from '../ui/act.tsx'
import { Facts } from '../ui/facts.tsx'
import { More } from '../ui/more.tsx'
import { setOpen } from '../ui/new.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { type Reading, useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { count, duration, In, moment } from '../ui/time.tsx'
import { ChangeJob } from './job-form.tsx'
import { JobState, type Run, RunState } from './job-state.tsx'
import { type Job, nextRuns, whenOf } from './times.ts'

// The runs of a cron job.

const whyOf = ({ skipped_reason, skipped_count, reason, error, manual }: Run): string =>
  [
    manual ? 'by hand' : undefined,
    skipped_reason?.replaceAll('_', ' '),
    (skipped_count ?? 1) > 1 ? `${skipped_count} times` : undefined,
    error ?? reason?.replaceAll('_', ' '),
  ]
    .filter(each => each !== undefined)
    .join(', ')

const tookOf = ({ started_at, ended_at }: Run): string =>
  started_at === null || ended_at === null ? '–' : duration(Date.parse(ended_at) - Date.parse(started_at))

const Runs = ({ runs }: { runs: readonly Run[] }) =>
  runs.length === 0 ? (
    <Empty title="No run yet" />
  ) : (
    <Table
      caption="Runs, newest first"
      rows={runs}
      keyOf={({ run_id }) => run_id}
      columns={[
        { title: 'Status', class: 'state', show: run => <RunState run={run} /> },
        {
          title: 'Scheduled at',
          class: 'main',
          show: ({ task_id, scheduled_at }) => {
            const time = moment(Date.parse(scheduled_at))
            return task_id === null ? time : <a href={hrefOf(`/tasks${at(task_id)}`)}>{time}</a>
          },
        },
        { title: 'Why', show: whyOf },
        { title: 'Took', class: 'number', show: tookOf },
      ]}
    />
  )

// The settings of a cron job, and its next runs.

const Settings = ({ job }: { job: Job }) => {
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

const NextRuns = ({ job }: { job: Job }) => {
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

// What can be done with a cron job.

const JobButtons = ({ job, again }: { job: Job; again: () => void }) => {
  const path = `/cron/jobs${at(job.job_id)}`
  const send = (what: string) => () => api.send('POST', `${path}/${what}`).then(again)
  return (
    <>
      <Act label="Run now" kind="primary" act={send('trigger')} />
      {job.status === 'active' && <Act label="Pause" act={send('pause')} />}
      {job.status === 'paused' && <Act label="Resume" act={send('resume')} />}
      <button type="button" onClick={() => setOpen('edit', true)}>
        Edit
      </button>
      <Act
        label="Delete"
        kind="danger"
        act={() => api.send('DELETE', path).then(() => go(hrefOf('/cron')))}
        sure={{
          title: 'Delete this cron job?',
          children: <p>No further run begins. A task that works continues.</p>,
        }}
      />
    </>
  )
}

// Reads a cron job with its newest runs.

/** The number of runs in one answer. */
const runsPerPage = 50

type Read = { job: Job; runs: Run[]; more: boolean }

const readJob = async (id: string, wanted: number, signal: AbortSignal): Promise<Read> => {
  const path = `/cron/jobs${at(id)}`
  const job = await api.send<Job>('GET', path, undefined, signal)
  const pages = { limit: runsPerPage }
  const { found: runs, more } = await readList<Run>(api, `${path}/runs`, pages, { wanted, signal })
  return { job, runs, more }
}

const Shown = ({ reading, more }: { reading: Reading<Read>; more: () => void }) => (
  <Loaded reading={reading} what="cron job">
    {read => (
      <div class="columns">
        <section aria-label="Runs">
          <Runs runs={read.runs} />
          {read.more && <More label="Show older runs" more={more} />}
        </section>
        <aside aria-label="Job">
          <NextRuns job={read.job} />
          <Settings job={read.job} />
        </aside>
      </div>
    )}
  </Loaded>
)

export const JobView = ({ id }: { id: string }) => {
  const wanted = useSignal(runsPerPage)
  const reading = useReading(id, signal => readJob(id, wanted.value, signal), {
    events: { types: 'CronJobTriggered,CronJobCompleted,CronJobFailed' },
  })
  const job = reading.value.value?.job
  return (
    <Page
      title={job?.name ?? id}
      above={{ path: '/cron', title: 'Cron jobs' }}
      buttons={
        job !== undefined && (
          <div class="buttons">
            <JobState job={job} />
            {mayWrite.value && <JobButtons job={job} again={reading.again} />}
          </div>
        )
      }
    >
      {job !== undefined && mayWrite.value && <ChangeJob job={job} done={reading.again} />}
      <Shown
        reading={reading}
        more={() => {
          wanted.value += runsPerPage
          reading.again()
        }}
      />
    </Page>
  )
}
