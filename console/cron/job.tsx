// One cron job: its next runs, its run history, and what can be done with it.
import { useSignal } from '@preact/signals'
import { mayWrite } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { type Reading, useReading } from '../ui/reading.ts'
import { JobButtons } from './job-buttons.tsx'
import { NextRuns, Settings } from './job-facts.tsx'
import { ChangeJob } from './job-form.tsx'
import { JobState } from './job-state.tsx'
import { type Read, readJob, runsPerPage } from './read-job.ts'
import { Runs } from './runs.tsx'

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
