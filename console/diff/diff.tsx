// Shows two tasks side by side, at one moment of both: what was said by then, and where the tasks begin to differ. Ids
// and times do not count.
import { useEffect, useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import type { TaskHistory } from '../task/history.ts'
import { textOf } from '../task/words.ts'
import { useConnection } from '../ui/connection.tsx'
import { CutId } from '../ui/cut-id.tsx'
import { Failure } from '../ui/notice.tsx'
import { Loaded } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { type Comparison, createComparison } from './comparison.ts'
import { Conversations } from './conversations.tsx'
import { DiffSlider } from './slider.tsx'

const Side = ({ of, count }: { of: TaskHistory; count: number }) => {
  const { status, created } = of.past.viewAfter(count)
  const event = of.past.events[count - 1]
  const question = textOf(created?.request.user_message_content)
  return (
    <div class="diff-side">
      <a href={hrefOf(`/tasks${at(of.id)}`, new URLSearchParams({ event: String(Math.max(0, count - 1)) }))}>
        {question.slice(0, 80) || of.id}
      </a>
      <small>
        <CutId id={of.id} />
      </small>
      <span>
        {status !== 'absent' && <Status status={status} />}
        {event !== undefined && <small>{`event ${count - 1} ${event.type}`}</small>}
      </span>
    </div>
  )
}

const Verdict = ({ of }: { of: Comparison }) => {
  const frame = of.first.frame.value
  const error = of.first.error.value
  if (error !== undefined) return <Failure error={error} retry={of.first.again} />
  const kind = frame === undefined ? '' : frame === null ? 'right' : 'wait'
  return (
    <p class={`verdict ${kind}`} role="status">
      {frame === undefined && 'Comparing…'}
      {frame === null && 'The two tasks have the same history.'}
      {typeof frame === 'number' &&
        `They have the same history up to frame ${frame}, where they begin to differ.`}
    </p>
  )
}

const Compared = ({ of }: { of: Comparison }) => {
  const [left, right] = of.counts.value
  return (
    <>
      <Verdict of={of} />
      <DiffSlider of={of} />
      <section class="diff-sides panel" aria-label="The two tasks">
        <Side of={of.sides[0]} count={left} />
        <Side of={of.sides[1]} count={right} />
      </section>
      <Conversations of={of} />
    </>
  )
}

/** `id`: the ids of the two tasks, with a slash between them. */
export const DiffView = ({ id }: { id: string }) => {
  const comparison = useMemo(() => {
    const [left = '', right = ''] = id.split('/')
    return createComparison(api, [left, right])
  }, [id])
  useConnection(comparison.connection)
  useEffect(() => {
    document.title = 'Two tasks compared · Reprise'
    return comparison.close
  }, [comparison])
  return (
    <main class="diff">
      <h1>Two tasks compared</h1>
      <Loaded reading={comparison} what={`task ${comparison.missing.value ?? ''}`}>
        {() => <Compared of={comparison} />}
      </Loaded>
    </main>
  )
}
