// Observes a session: its state and tools, without a step.
import { envSessionStream } from '../contract/events/env-session-events.ts'
import { type Asked, by, type Shared } from './deps.ts'
import { active, lost } from './reading.ts'

export const observe = async (deps: Shared, asked: Asked, id: string) => {
  await active(deps, asked.principal, id)
  const view = await deps.callers.ask({}, no =>
    deps.runtime.ask(envSessionStream(id), { type: 'ObserveSession', no, ...by(asked) }),
  )
  if (view.state !== 'active') throw lost(view)
  deps.lookedAt.set(id, deps.clock.now())
  return { state: view.observed, tools: view.tools, done: view.done }
}
