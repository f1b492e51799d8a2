// A task of a session: what its user said, and what its agents said.
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { Status } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import type { Turn } from './read-session.ts'
import { Said } from './said.tsx'

export const agentOf = ({ task }: Turn): string => String(task.metadata?.agent ?? 'agent')

export const TurnOf = ({ turn, speakers }: { turn: Turn; speakers: readonly string[] }) => {
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
