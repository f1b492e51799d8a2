// One session as a conversation: its tasks in order, and a field to go on.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { place } from '../api/router.ts'
import { mayWrite } from '../api/session.ts'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Continue } from './continue.tsx'
import { createSessionReader, type Turn, type Turns } from './read-session.ts'
import { agentOf, TurnOf } from './turn.tsx'

/** The most tasks of one answer. */
const most = 100
const types = 'TaskCreated,TaskUpdated,TaskStatusChanged,TaskDeleted'

const Conversation = ({ turns, more }: Turns) => {
  const end = useRef<HTMLDivElement>(null)
  const speakers = [...new Set(turns.flatMap(turn => [agentOf(turn), ...namesIn(turn)]))]
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [turns.length])
  return (
    <section class="panel talk" aria-label="Conversation">
      {more && <p class="hint">Earlier tasks are not shown.</p>}
      {turns.map(turn => (
        <TurnOf key={turn.task.id} turn={turn} speakers={speakers} />
      ))}
      {turns.length === 0 && <Empty title="No task names this session" />}
      <div ref={end} />
    </section>
  )
}
const namesIn = ({ task }: Turn): string[] =>
  task.output.flatMap(item => (item.type === 'message' && item.name !== undefined ? [item.name] : []))

export const SessionView = ({ id }: { id: string }) => {
  const user = place.value.query.get('user') ?? undefined
  const read = useMemo(() => createSessionReader(id, user), [id, user])
  const reading = useReading(`${id} ${user}`, signal => read(most, signal), {
    events: { types, session_id: id },
  })
  return (
    <Page title={id} above={{ path: '/sessions', title: 'Conversations' }}>
      <Loaded reading={reading} what="session">
        {({ turns, more }) => (
          <>
            <Conversation turns={turns} more={more} />
            {mayWrite.value && <Continue id={id} newest={turns.at(-1)} done={reading.again} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
