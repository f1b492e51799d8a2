// One cron job: its next runs, its run history, and what can be done with it.
import { useSignal } from '@preact/signals'
import { at, queryOf } from '../api/client.ts'
import { go, hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { Facts } from '../ui/facts.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { type Reading, useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { count, duration, In, moment } from '../ui/time.tsx'
import { JobState, type Run, RunState } from './job-state.tsx'
import { type Job, nextRuns, whenOf } from './times.ts'

const perPage = 50
const most = 500

type Read = { job: Job; runs: Run[]; more: boolean }

const readJob = async (id: string, wanted: number, signal: AbortSignal): Promise<Read> => {
  const path = `/cron/jobs${at(id)}`
  const job = await api.send<Job>('GET', path, undefined, signal)
  const runs: Run[] = []
  for (;;) {
    const query = queryOf({ limit: perPage, starting_after: runs.at(-1)?.run_id })
    type Answer = { runs: Run[]; has_more: boolean }
    const next = await api.send<Answer>('GET', `${path}/runs${query}`, undefined, signal)
    runs.push(...next.runs)
    if (!next.has_more || runs.length >= wanted) return { job, runs, more: next.has_more }
  }
}

const Buttons = ({ job, again }: { job: Job; again: () => void }) => {
  const path = `/cron/jobs${at(job.job_id)}`
  const send = (what: string) => () => api.send('POST', `${path}/${what}`).then(again)
  return (
    <>
      <Act label="Run now" kind="primary" act={send('trigger')} />
      {job.status === 'active' && <Act label="Pause" act={send('pause')} />}
      {job.status === 'paused' && <Act label="Resume" act={send('resume')} />}
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

const Settings = ({ job }: { job: Job }) => (
  <section class="panel side-part" aria-label="Settings">
    <h2>Settings</h2>
    <Facts
      of={[
        ['When', whenOf(job)],
        ['Message', textOf(job.task.user_message_content)],
        ['Agent', (job.task.agent_config as { agent_id?: string } | undefined)?.agent_id ?? 'the default'],
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

const Shown = ({ reading, more }: { reading: Reading<Read>; more: () => void }) => (
  <Loaded reading={reading} what="cron job">
    {read => (
      <div class="columns">
        <section aria-label="Runs">
          <Runs runs={read.runs} />
          {read.more && read.runs.length < most && (
            <button type="button" class="more" onClick={more}>
              Show older runs
            </button>
          )}
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
  const wanted = useSignal(perPage)
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
            {mayWrite.value && <Buttons job={job} again={reading.again} />}
          </div>
        )
      }
    >
      <Shown
        reading={reading}
        more={() => {
          wanted.value += perPage
          reading.again()
        }}
      />
    </Page>
  )
}
