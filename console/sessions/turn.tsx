// A task of a session: what its user said, and what its agents thought, said and called.
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { Item, Said } from '../task/item.tsx'
import { Status } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import type { Turn } from './read-session.ts'
import { agentOf, entriesOf } from './turn-entries.ts'

/** `speakers`: the names of all speakers; each has a colour of its own. Without it, all have the same colour. */
export const TurnOf = ({ turn, speakers }: { turn: Turn; speakers?: readonly string[] }) => {
  const { task, question } = turn
  const href = hrefOf(`/tasks${at(task.id)}`)
  const note = (
    <>
      <Ago at={task.created_at * 1000} /> · <a href={href}>open the task</a>
    </>
  )
  return (
    <section class="turn" aria-label={`Task ${task.id}`}>
      <Said who="user" isUser content={question} note={note} />
      {entriesOf(turn).map(({ key, ...entry }) => {
        const who = 'name' in entry.item && entry.item.type === 'message' ? entry.item.name : undefined
        const speaker = speakers?.indexOf(who ?? agentOf(turn))
        return <Item key={key} {...entry} {...(speaker !== undefined && { speaker })} />
      })}
      {task.status !== 'completed' && (
        <p class="turn-end">
          <Status status={task.status} />{' '}
          {task.error !== undefined && <span class="problem">{task.error.message}</span>}
          {task.status === 'input-required' && <a href={href}>answer the call</a>}
        </p>
      )}
    </section>
  )
}
