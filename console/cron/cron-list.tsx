// The cron jobs, with the next run of each.
import { useSignal } from '@preact/signals'
import { at } from '../api/api.ts'
import { readList } from '../api/listed.ts'
import type { Page as Entries } from '../api/read-pages.ts'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, count, In } from '../ui/time.tsx'
import { NewJob } from './job-form.tsx'
import { JobState, RunState } from './job-state.tsx'
import { type Job, whenOf } from './times.ts'

const perPage = 100

const read = (wanted: number, signal: AbortSignal): Promise<Entries<Job>> =>
  readList(api, '/cron/jobs', { limit: perPage }, { wanted, signal })

const LastRun = ({ run }: { run: Job['last_run'] }) => {
  if (run === null) return <>–</>
  const { task_id, ended_at, error, reason } = run
  const state = <RunState run={run} />
  return (
    <span class="last-run" title={error ?? reason}>
      {task_id === null ? state : <a href={hrefOf(`/tasks${at(task_id)}`)}>{state}</a>}{' '}
      {ended_at !== null && (
        <small>
          <Ago at={Date.parse(ended_at)} />
        </small>
      )}
    </span>
  )
}

const Jobs = ({ jobs }: { jobs: readonly Job[] }) =>
  jobs.length === 0 ? (
    <Empty title="No cron jobs yet">A job creates a task at each time of its schedule.</Empty>
  ) : (
    <Table
      caption="Cron jobs, newest first"
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      columns={[
        { title: 'Status', class: 'state', show: job => <JobState job={job} /> },
        {
          title: 'Job',
          class: 'main',
          show: ({ job_id, name, paused_reason }) => (
            <>
              <a href={hrefOf(`/cron${at(job_id)}`)}>{name}</a>
              {paused_reason !== undefined && paused_reason !== 'paused' && (
                <span class="why">{paused_reason.replaceAll('_', ' ')}</span>
              )}
            </>
          ),
        },
        { title: 'When', show: whenOf },
        { title: 'User', class: 'less', show: ({ user_id }) => user_id },
        {
          title: 'Next run',
          class: 'number',
          show: ({ next_run_at }) => (next_run_at === null ? '–' : <In at={Date.parse(next_run_at)} />),
        },
        { title: 'Last result', show: ({ last_run }) => <LastRun run={last_run} /> },
        { title: 'Runs', class: 'number', show: ({ runs }) => count(runs) },
      ]}
    />
  )

export const CronList = () => {
  const wanted = useSignal(perPage)
  const reading = useReading('jobs', signal => read(wanted.value, signal), {
    events: { types: 'CronJobTriggered,CronJobCompleted,CronJobFailed' },
  })
  return (
    <Page title="Cron jobs">
      {mayWrite.value && <NewJob />}
      <Loaded reading={reading} what="list of cron jobs">
        {({ found, more }) => (
          <>
            <Jobs jobs={found} />
            {more && (
              <More
                label="Show older jobs"
                more={() => {
                  wanted.value = found.length + perPage
                  reading.again()
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
