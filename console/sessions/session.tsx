// One session as a conversation: its tasks in order, and a field to go on.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { place } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Continue } from './continue.tsx'
import { createSessionReader, type Turns, turnsPerPage } from './read-session.ts'
import { TurnOf } from './turn.tsx'
import { speakersOf } from './turn-entries.ts'

const types = 'TaskCreated,TaskUpdated,TaskStatusChanged,TaskDeleted'

const Conversation = ({ turns, more, earlier }: Turns & { earlier: () => void }) => {
  const end = useRef<HTMLDivElement>(null)
  const speakers = speakersOf(turns)
  // Scrolls only after a new newest task: when earlier tasks are added above, the reader stays where they were.
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns.at(-1)?.task.id])
  return (
    <section class="panel talk" aria-label="Conversation">
      {more && <More label="Show earlier tasks" more={earlier} />}
      {turns.map(turn => (
        <TurnOf key={turn.task.id} turn={turn} speakers={speakers} />
      ))}
      {turns.length === 0 && <Empty title="Not found">No task names this session.</Empty>}
      <div ref={end} />
    </section>
  )
}

export const SessionView = ({ id }: { id: string }) => {
  const user = place.value.query.get('user') ?? undefined
  const wanted = useSignal(turnsPerPage)
  const read = useMemo(() => createSessionReader(api, { id, user }), [id, user])
  const reading = useReading(`${id} ${user}`, signal => read(wanted.value, signal), {
    events: { types, session_id: id },
  })
  const earlier = () => {
    wanted.value += turnsPerPage
    reading.again()
  }
  return (
    <Page title={id} above={{ path: '/sessions', title: 'Conversations' }}>
      <Loaded reading={reading} what="session">
        {found => (
          <>
            <Conversation {...found} earlier={earlier} />
            {mayWrite.value && <Continue id={id} newest={found.turns.at(-1)} done={reading.again} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
