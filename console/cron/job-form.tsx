// The forms that create and change a cron job.
import { useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Edit, isOpen, New } from '../ui/new.tsx'
import { bodyOf, canChangeTask, changesOf } from './job-body.ts'
import { createDraft } from './job-draft.ts'
import { JobFields } from './job-fields.tsx'
import type { Job } from './times.ts'

export const NewJob = () => {
  const draft = useMemo(createDraft, [])
  const make = async () => {
    const { job_id } = await api.send<Job>('POST', '/cron/jobs', bodyOf(draft))
    go(hrefOf(`/cron${at(job_id)}`))
  }
  return (
    <New title="Create a cron job" send={make}>
      <JobFields draft={draft} />
    </New>
  )
}

/** The draft begins with the job as it is when the form opens. `done` is called when the change is stored. */
export const ChangeJob = ({ job, done }: { job: Job; done: () => void }) => {
  const before = useMemo(() => ({ job, draft: createDraft(job) }), [job.job_id, isOpen('edit')])
  const save = async () => {
    await api.send('PATCH', `/cron/jobs${at(job.job_id)}`, changesOf(before.draft, before.job))
    done()
  }
  return (
    <Edit title="Change the cron job" send={save}>
      <JobFields draft={before.draft} isTaskFixed={!canChangeTask(before.job)} />
    </Edit>
  )
}
