// One session as a conversation: its tasks in order, and a field to go on.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { at } from '../api/client.ts'
import { hrefOf, place } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { agents, readAgents } from '../home/agents.ts'
import { bound } from '../ui/bound.ts'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { createSessionReader, type Turn, type Turns } from './read-session.ts'
import { Said } from './said.tsx'
import { Say } from './say.tsx'

/** The most tasks of one answer. */
const most = 100
const types = 'TaskCreated,TaskUpdated,TaskStatusChanged,TaskDeleted'

const agentOf = ({ task }: Turn): string => String(task.metadata?.agent ?? 'agent')

const TurnOf = ({ turn, speakers }: { turn: Turn; speakers: readonly string[] }) => {
  const { task, question } = turn
  const agent = agentOf(turn)
  const calls = task.output.filter(({ type }) => type === 'tool_call').length
  return (
    <section class="turn" aria-label={`Task ${task.id}`}>
      <Said
        name="user"
        content={question}
        note={
          <>
            <Ago at={task.created_at * 1000} /> · <a href={hrefOf(`/tasks${at(task.id)}`)}>open the task</a>
          </>
        }
      />
      {task.output.map((item, n) =>
        item.type !== 'message' ? null : (
          <Said
            key={item.id ?? n}
            name={item.name ?? (item.role === 'user' ? 'user' : agent)}
            speaker={item.role === 'user' ? undefined : speakers.indexOf(item.name ?? agent)}
            content={item.message_content}
            {...(item.status === 'incomplete' && { note: 'cut off' })}
          />
        ),
      )}
      {(task.status !== 'completed' || calls > 0) && (
        <p class="turn-end">
          {task.status !== 'completed' && <Status status={task.status} />}{' '}
          {task.error !== undefined && <span class="problem">{task.error.message}</span>}
          {task.status === 'input-required' && <a href={hrefOf(`/tasks${at(task.id)}`)}>answer the call</a>}
          {calls > 0 && <small>{calls === 1 ? 'one call' : `${calls} calls`}</small>}
        </p>
      )}
    </section>
  )
}

/** Agents that need more settings than a message. */
const needsSettings = new Set(['script', 'group'])

const Continue = ({ id, newest, done }: { id: string; newest: Turn | undefined; done: () => void }) => {
  const last = newest === undefined ? '' : agentOf(newest)
  const agent = useSignal(needsSettings.has(last) ? '' : last)
  useEffect(() => void readAgents().catch(() => {}), [])
  const say = async (text: string) => {
    await api.ask('POST', '/tasks', {
      user_message_content: text,
      session_id: id,
      stream: false,
      background: true,
      ...(newest === undefined ? {} : { user_id: newest.task.user_id }),
      ...(agent.value === '' ? {} : { agent_config: { agent_id: agent.value } }),
    })
    done()
  }
  return (
    <Say label="Continue the conversation" say={say}>
      <label>
        <span class="unseen">Agent</span>
        <select {...bound(agent)}>
          <option value="">Default agent</option>
          {agents.value
            .filter(({ name }) => !needsSettings.has(name))
            .map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </select>
      </label>
    </Say>
  )
}

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
