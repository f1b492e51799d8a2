// The runs of a cron job.
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { Empty } from '../ui/notice.tsx'
import { Table } from '../ui/table.tsx'
import { duration, moment } from '../ui/time.tsx'
import { type Run, RunState } from './job-state.tsx'

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

export const Runs = ({ runs }: { runs: readonly Run[] }) =>
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
