// What the code of an agent waits for, in words: a time, a message, an answer, a worker.
import { openCalls } from '../../src/history/task/calls.ts'
import { noTimer } from '../../src/history/task/code.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { In, moment } from '../ui/time.tsx'

/** Whether there is something that `WaitsFor` says. */
export const isWaiting = ({ awaitsWorker, wakesAt }: ShownTask): boolean =>
  awaitsWorker || wakesAt !== undefined

/** What the code waits for besides a time; undefined: nothing. */
const awaitedBy = (task: ShownTask): string | undefined => {
  if (task.awaitsWorker) return 'a worker that has the agent'
  const waits = [
    task.status === 'input-required' ? 'an answer' : undefined,
    openCalls(task).some(({ kind }) => kind === 'message') ? 'a message' : undefined,
  ].filter(wait => wait !== undefined)
  return waits.length === 0 ? undefined : waits.join(' or ')
}

/** Whether the code waits for nothing but a time. */
export const isAsleep = (task: ShownTask): boolean =>
  awaitedBy(task) === undefined && task.wakesAt !== undefined && task.wakesAt !== noTimer

/** `isNow`: the task is shown as it is, not as it was. */
export const WaitsFor = ({ task, isNow }: { task: ShownTask; isNow: boolean }) => {
  const { awaitsWorker, wakesAt } = task
  const awaited = awaitedBy(task)
  if (awaitsWorker || wakesAt === undefined || wakesAt === noTimer) return <>{awaited ?? 'a message'}</>
  return (
    <>
      {awaited !== undefined && `${awaited}, `}
      until {moment(wakesAt)}
      {isNow && (
        <>
          {' '}
          (<In at={wakesAt} />)
        </>
      )}
    </>
  )
}
