// One event of a session: a step with its arguments, its result and what the environment showed, or what else happened.
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { Content } from '../task/content.tsx'
import type { SessionEvent } from './history.ts'
import { Observation } from './observation.tsx'

export const Shown = ({ event }: { event: SessionEvent }) => {
  const { type, data } = event
  if (type === 'EnvStepCompleted')
    return (
      <details class={`tool${data.status === 'incomplete' ? ' trouble' : ''}`}>
        <summary>
          <b>
            {data.step} {data.tool_name}
          </b>
          <code class="brief">{JSON.stringify(data.tool_args)}</code>
          <small>
            reward {data.reward}
            {data.done ? ', done' : ''}
          </small>
        </summary>
        <div class="tool-body">
          <Content content={data.content} />
          <h3>Observation</h3>
          <Observation seen={data.observation} />
          {data.task_id !== undefined && (
            <a href={hrefOf(`/tasks${at(data.task_id)}`)}>Open the task of this step</a>
          )}
        </div>
      </details>
    )
  const words =
    type === 'EnvSessionCreated'
      ? `created as ${data.kind ?? data.env_id} with the seed ${data.seed}`
      : type === 'EnvSessionReset'
        ? `reset with the seed ${data.seed}`
        : type === 'EnvSessionClosed'
          ? `closed: ${data.reason}`
          : type === 'EnvStepIntended'
            ? `step ${data.step} begins: ${data.tool_name}`
            : 'deleted'
  return <p class="hint">{words}</p>
}
