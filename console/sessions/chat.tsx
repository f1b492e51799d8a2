// A group chat: the messages with their speakers, live, and a field to say something while it runs.
import { useComputed } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import type { Task } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { createStoredStream } from '../api/stored-stream.ts'
import { Said } from '../task/item.tsx'
import { useConnection } from '../ui/connection.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'
import { type Chat, chatOf, type Entry } from './chat-events.ts'
import { Say } from './say.tsx'

const types = 'GroupChatMessage,GroupChatAgentThinking,GroupChatAgentResponse,TaskStatusChanged'

const RoundOf = ({ entry: { round, taskId } }: { entry: Entry }) => (
  <>
    {round !== undefined && `round ${round}`}
    {taskId !== undefined && (
      <>
        {' · '}
        <a href={hrefOf(`/tasks${at(taskId)}`)}>its task</a>
      </>
    )}
  </>
)

const EntryOf = ({ entry, speakers }: { entry: Entry; speakers: readonly string[] }) => {
  const { kind, name, isUser, content } = entry
  const speaker = isUser ? undefined : Math.max(0, speakers.indexOf(name))
  if (kind === 'said')
    return (
      <Said who={name} isUser={isUser} speaker={speaker} content={content} note={<RoundOf entry={entry} />} />
    )
  return (
    <p class="chat-note">
      {kind === 'thinking' ? `${name} is thinking…` : `${name}: ${String(content)}`}{' '}
      <small>
        <RoundOf entry={entry} />
      </small>
    </p>
  )
}

const Talk = ({ entries, speakers }: Chat) => {
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [entries.length])
  return (
    <section class="panel talk" aria-label="What was said" aria-live="polite">
      {entries.map(entry => (
        <EntryOf key={entry.key} entry={entry} speakers={speakers} />
      ))}
      <div ref={end} />
    </section>
  )
}

export const ChatView = ({ id }: { id: string }) => {
  const stream = useMemo(
    () => createStoredStream({ stream: `task-${id}`, news: { types, task_id: id } }),
    [id],
  )
  useConnection(stream.connection)
  useEffect(() => stream.close, [stream])
  const chat = useComputed(() => chatOf(stream.events.value))
  const begun = useComputed(() => (chat.value.entries.length === 0 ? undefined : chat.value))
  const { speakers } = chat.value
  const reading = useReading(id, signal => api.ask<Task>('GET', `/tasks${at(id)}`, undefined, signal))
  // While the task is read again, the view keeps the old one, so that the text that somebody writes is not lost.
  useEffect(reading.soon, [stream.events.value.length])
  const task = reading.value.value
  const say = async (content: string) => {
    await api.send('POST', `/tasks${at(id)}/messages`, { content })
    stream.again()
  }
  return (
    <Page
      title={speakers.length === 0 ? id : speakers.join(', ')}
      above={{ path: '/sessions', title: 'Conversations' }}
      buttons={
        <div class="buttons">
          {task !== undefined && <Status status={task.status} />}
          <a href={hrefOf(`/tasks${at(id)}`)}>Open the task</a>
        </div>
      }
    >
      <Loaded reading={{ ...stream, value: begun }} what="group chat">
        {chat => <Talk {...chat} />}
      </Loaded>
      {task?.error !== undefined && <p class="problem">{task.error.message}</p>}
      {task !== undefined && !isTerminal(task.status) && mayWrite.value && (
        <Say label="Say something" say={say} />
      )}
    </Page>
  )
}
