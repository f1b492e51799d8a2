// Lists of tools that agents offer to models, while the disk fails.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { ToolDefinition } from '../../src/contract/wire.ts'
import { rested } from '../actors/journal/kills.ts'
import { failingStore, givenSystem } from '../support/system.ts'
import { tool } from '../support/tools.ts'
import { testWorld } from '../support/world.ts'

const tools: ToolDefinition[] = [tool('look').definition]

/** An agent that offers a list of tools, thinks, and answers. */
const offering = (think: () => Promise<void>): Agent => ({
  name: 'offering',
  async *step() {
    yield { say: 'tools', tools }
    await think()
    yield { say: 'item', item: 'message', part: 'output_text', texts: ['done'] }
    return { end: 'answer' }
  },
})

/** A store in which the first write of a list fails. */
const failingAtList = (how: 'lost' | 'kept') => {
  const { store, failNext } = failingStore()
  const { write } = store
  let hasFailed = false
  store.write = batch => {
    const isList = batch.newStreams.some(({ id }) => id.startsWith('tool'))
    if (isList && !hasFailed) {
      hasFailed = true
      failNext(how)
    }
    return write(batch)
  }
  return { store, hasFailed: () => hasFailed }
}

for (const how of ['lost', 'kept'] as const) {
  t.test(`a task goes on whose list could not be written, ${how}`, async t => {
    const { store, hasFailed } = failingAtList(how)
    const system = await givenSystem({ store, agents: [offering(async () => {})] })
    const id = await system.create({ agent_config: { agent_id: 'offering' } })
    await rested(system)
    t.ok(hasFailed())
    t.match(system.get(id), { status: 'completed', error: undefined })
    await system.close()
  })
}

t.test('no step names a list that is not stored', async t => {
  const { store, hasFailed } = failingAtList('lost')
  const world = testWorld()
  const think = () => new Promise<void>(resolve => void world.timers.after(10_000, resolve))
  const system = await givenSystem({ store, world, agents: [offering(think)] })
  await Promise.all([1, 2].map(() => system.create({ agent_config: { agent_id: 'offering' } })))
  await world.advance(20_000)
  await rested(system)
  t.ok(hasFailed())
  const events = await system.stored()
  const streams = new Set(events.map(({ header }) => header.stream))
  const offered = events.filter(({ header }) => header.type === 'ToolsOffered')
  t.ok(offered.length > 0)
  for (const { data } of offered) t.ok(streams.has((data as { stream: string }).stream))
  await system.close()
})
