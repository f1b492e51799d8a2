// A server, and the host in it, killed before and after every commit of tasks whose agents are code: the code goes on from its
// journal, and nothing is done twice.
import t from 'tap'
import type { Context } from '../../../library/agent/types.ts'
import { admin, quiet, type TestSystem } from '../../support/system.ts'
import { killedEverywhere } from '../journal/kills.ts'
import type { Outside } from '../journal/outside.ts'

/** Creates the task; a client that saw no answer does it again. */
const mine = async (system: TestSystem) =>
  void (await system.create({ agent_config: { agent_id: 'mine' } }, { key: 'one' }))

t.test('side effects of the code run once, or a person is asked', async t => {
  const { snapshots } = await killedEverywhere(t, mine, {
    agents: (outside: Outside) => ({
      mine: async (ctx: Context) => {
        const first = await ctx.run('first', () => outside.act('first'))
        const second = await ctx.run('second', () => outside.act('second'))
        return [first, second]
      },
    }),
    again: mine,
    everyCommit: true,
    unsafe: 2,
  })
  t.ok(snapshots.length > 8)
})

t.test('calls side by side, one after the other, a sleep and a subagent', async t => {
  await killedEverywhere(t, mine, {
    agents: () => ({
      mine: async (ctx: Context) => {
        const [paid, noted, child] = await Promise.all([
          ctx.tool('pay'),
          ctx.tool('note').then(() => ctx.tool('note')),
          ctx.agent('helper', 'help me'),
          ctx.sleep(500),
        ])
        ctx.say(`so far: ${paid}, ${noted}, ${child}`)
        return ctx.tool('ship')
      },
      helper: async (ctx: Context) => `${ctx.input.text}: ${await ctx.tool('note')}`,
    }),
    again: mine,
    everyCommit: true,
    unsafe: 2,
  })
})

t.test('a race ends after each kill as it ended before', async t => {
  await killedEverywhere(t, mine, {
    agents: () => ({
      mine: async (ctx: Context) => {
        const won = await Promise.race([
          ctx.sleep(7_200_000).then(() => 'sleep'),
          ctx.tool('note').then(() => 'note'),
        ])
        const next = await ctx.tool('note')
        return `${won} ${next}`
      },
    }),
    again: mine,
    everyCommit: true,
    also: (t, at, [task]) => {
      const answer = task?.output.at(-1)
      t.match(answer, { type: 'message', message_content: [{ text: 'note note done' }] }, at)
    },
  })
})

t.test('a question that is answered before or after the kill', async t => {
  const answer = async (system: TestSystem) => {
    await quiet(system)
    for (const { id, pending } of await waiting(system)) {
      await system.commands
        .input(admin, id, 'r', [{ callId: pending, itemId: `tr_${pending}`, content: 'yes', blocks: [] }])
        .catch(() => {})
    }
  }
  await killedEverywhere(
    t,
    async system => {
      await mine(system)
      await answer(system)
    },
    {
      agents: outside => ({
        mine: async (ctx: Context) => {
          const said = await ctx.ask('may I')
          return `${said}: ${await ctx.run('act', () => outside.act('act'))}`
        },
      }),
      again: async system => {
        await mine(system)
        await answer(system)
      },
      everyCommit: true,
      unsafe: 1,
    },
  )
})

const waiting = async (system: TestSystem) => {
  const ids = (await system.stored()).flatMap(({ header, data }) =>
    header.type === 'TaskCreated' ? [(data as { task_id: string }).task_id] : [],
  )
  return ids.flatMap(id => {
    const { input_required } = system.get(id)
    return input_required === undefined ? [] : [{ id, pending: input_required.call_id }]
  })
}
