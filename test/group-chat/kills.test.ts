// A group chat whose server is killed before and after each of its commits: nothing is said twice, and nothing is lost.
import t from 'tap'
import type { Task } from '../../src/contract/wire.ts'
import { tasksIn } from '../actors/journal/checks.ts'
import { killedEverywhere, rested } from '../actors/journal/kills.ts'
import { admin, type TestSystem } from '../support/system.ts'
import { clientTool } from '../support/tools.ts'
import { chatOf, linesOf, says } from './chats.ts'

const asks = {
  name: 'bob',
  agent_id: 'script',
  script: [{ tool: 'ask' }, { message: 'bob knows: $result' }],
}
const agents = [says('ann', 'one', 'two'), asks, says('cem', 'three')]

/** The user answers what is asked, at the chat. */
const answering = async (system: TestSystem) => {
  const [chatId] = await tasksIn(system)
  if (chatId === undefined) return
  for (let n = 0; n < 3; n++) {
    await rested(system)
    const { status, metadata } = system.get(chatId) as Task
    const waits = (metadata as { pending_inputs?: { call_id: string }[] } | undefined)?.pending_inputs ?? []
    if (status !== 'input-required') continue
    for (const { call_id } of waits) {
      const answer = { callId: call_id, itemId: `tr_of-${call_id}`, content: 'yes', blocks: [] }
      await system.commands.input(admin, chatId, 'req_input', [answer])
    }
  }
}

t.test('killed around every commit, a chat of three comes to the same end', async t => {
  const { snapshots } = await killedEverywhere(
    t,
    async system => {
      const body = chatOf(agents) as object
      const id = await system.create({ ...body, client_tools: [clientTool('ask')] })
      await rested(system)
      await system.commands.message(admin, id, 'req', 'go on', { key: undefined, isRetry: false })
      await answering(system)
    },
    {
      everyCommit: true,
      again: answering,
      also(t, at, tasks) {
        const chat = tasks.find(task => task.metadata?.agent === 'group')
        if (chat === undefined) return
        const said = linesOf(chat.output).filter(line => line !== 'user: go on')
        const bob = 'bob: bob knows: yes'
        t.same(said, ['ann: one', bob, 'cem: three', 'ann: two', bob, 'cem: three'], at)
      },
    },
  )
  t.ok(snapshots.length > 30)
})
