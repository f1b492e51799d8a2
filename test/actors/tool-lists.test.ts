// What models are offered: stored once, told when it changes.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { ToolDefinition } from '../../src/contract/wire.ts'
import type { Frame } from '../../src/history/frames.ts'
import { yieldToLoop } from '../../src/platform/loop.ts'
import { givenSystem, quiet } from '../support/system.ts'
import { clientTool } from '../support/tools.ts'

/** Offers a model another list in each step. */
const offering = (...lists: ToolDefinition[][]): Agent => ({
  name: 'offering',
  async *step({ agentStep }) {
    yield { say: 'tools', tools: lists[agentStep - 1] ?? [] }
    yield { say: 'item', item: 'message', part: 'output_text', texts: ['.'] }
    return { end: agentStep < lists.length ? 'continue' : 'answer' }
  },
})
const [one, two] = [clientTool('one'), clientTool('two')] as ToolDefinition[]
const given = (...lists: ToolDefinition[][]) => givenSystem({ agents: [offering(...lists)] })
const body = { agent_config: { agent_id: 'offering' } }
const listed = async ({ stored }: { stored: () => Promise<{ header: { type: string; owner: string } }[]> }) =>
  (await stored()).filter(({ header }) => header.type === 'ToolsListed')

t.test('a list is stored once for each user, however many tasks are offered it', async t => {
  const system = await given([one as ToolDefinition, two as ToolDefinition])
  const users = ['ann', 'bob', 'ann', 'bob', 'ann']
  for (const user_id of users) await system.create({ ...body, user_id })
  await quiet(system)
  const lists = await listed(system)
  t.same(lists.map(({ header }) => header.owner).sort(), ['ann', 'bob'])
  await system.close()
})

t.test(
  'other tools than before are told with all that is offered now; the first, and the same, are not',
  async t => {
    const [a, b] = [one as ToolDefinition, two as ToolDefinition]
    const system = await given([a], [a], [a, b], [])
    const id = await system.create(body)
    await quiet(system)
    const frames: Frame[] = []
    for await (const frame of system.streams.stored(`task-${id}`, -1, yieldToLoop)) frames.push(frame)
    const told = frames.filter(({ type }) => type === 'task.tools_updated')
    t.same(
      told.map(({ tools }) => tools),
      [[a, b], []],
    )
    t.same(
      frames.map(({ sequence_number }) => sequence_number),
      frames.map((_, n) => n),
    )
    t.equal((await listed(system)).length, 3)
    await system.close()
  },
)

t.test('who is offered nothing stores no list', async t => {
  const system = await given([], [])
  await system.create(body)
  await quiet(system)
  t.same(await listed(system), [])
  await system.close()
})
