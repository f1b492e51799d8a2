// What can be done with a cron job.
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { setOpen } from '../ui/new.tsx'
import type { Job } from './times.ts'

export const JobButtons = ({ job, again }: { job: Job; again: () => void }) => {
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
