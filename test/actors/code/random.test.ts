// Random code, with a host that is killed now and then: the task ends with the same answer as without kills, a replay of the log
// gives what the read models have, and read models that are made again are the same.
import t from 'tap'
import { CallError, ToolError } from '../../../library/agent/errors.ts'
import type { Context } from '../../../library/agent/types.ts'
import fc from '../../support/fast-check.ts'
import { admin, givenSystem, quiet, restarted, type TestSystem } from '../../support/system.ts'
import { tool } from '../../support/tools.ts'
import { hostsHere } from './hosts-here.ts'

type Op =
  | { do: 'tool' | 'say' | 'think' | 'ask' | 'agent' | 'run'; text: string }
  | { do: 'sleep'; ms: number }
  | { do: 'all' | 'race'; of: Op[] }

const play = async (ctx: Context, op: Op): Promise<unknown> => {
  switch (op.do) {
    case 'tool':
      return ctx.tool(op.text === 'x' ? 'missing' : 'note', { text: op.text }).catch(error => {
        if (error instanceof ToolError) return 'no tool'
        throw error
      })
    case 'say':
      return ctx.say(op.text)
    case 'think':
      return ctx.think(op.text)
    case 'ask':
      return ctx.ask('question', { text: op.text }, { timeout: 30_000 }).catch(error => {
        if (error instanceof CallError) return 'no answer'
        throw error
      })
    case 'agent':
      return ctx.agent('helper', op.text)
    case 'run':
      return ctx.run('act', () => op.text.length, { safe: op.text !== 'yes' })
    case 'sleep':
      return ctx.sleep(op.ms)
    case 'all':
      return Promise.all(op.of.map(async one => (await play(ctx, one)) ?? null))
    case 'race':
      return Promise.race(op.of.map(one => play(ctx, one)))
  }
}
const agents = {
  async mine(ctx: Context) {
    const said: unknown[] = []
    for (const op of ctx.config.ops as Op[]) said.push((await play(ctx, op)) ?? null)
    return { said }
  },
  helper: async (ctx: Context) => `helped with ${ctx.input.text} and ${await ctx.tool('note', {})}`,
}

const text = fc.constantFrom('x', 'yes', 'two words')
const leaf = fc.oneof(
  fc.record({
    do: fc.constantFrom('tool' as const, 'say' as const, 'think' as const, 'agent' as const, 'run' as const),
    text,
  }),
  fc.record({ do: fc.constant('ask' as const), text }),
  fc.record({ do: fc.constant('sleep' as const), ms: fc.integer({ min: 0, max: 5000 }) }),
)
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('all' as const, 'race' as const),
      of: fc.array(leaf, { minLength: 1, maxLength: 3 }),
    }),
  },
)

/** Works until the task has ended. `kills`: after which rounds the host is killed. */
const ended = async (system: TestSystem, id: string, kill: () => void, kills: ReadonlySet<number>) => {
  for (let n = 0; n < 100; n++) {
    await quiet(system)
    const { status, metadata } = system.get(id)
    if (status === 'completed' || status === 'failed') return
    for (const { call_id: callId } of metadata.pending_inputs ?? []) {
      const answers = [{ callId, itemId: `tr_${callId}`, content: 'yes', blocks: [] }]
      await system.commands.input(admin, id, 'r', answers).catch(() => {})
    }
    if (kills.has(n)) kill()
    await quiet(system)
    await system.world.advance(1000)
  }
}
const shown = ({ status, output, error }: ReturnType<TestSystem['get']>) => ({
  status,
  error,
  answer: status === 'completed' ? output.at(-1)?.message_content : undefined,
})

t.test(
  'random code ends the same with and without kills, and the log gives what the read models have',
  async t => {
    const property = fc.asyncProperty(
      fc.array(op, { minLength: 1, maxLength: 5 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 8 }), { maxLength: 3 }),
      async (ops, kills) => {
        const run = async (killed: readonly number[]) => {
          const hosts = hostsHere(agents)
          const system = await givenSystem({ codeAgents: hosts.served, tools: [tool('note')] })
          const id = await system.create({ agent_config: { agent_id: 'mine', ops } as object })
          await ended(system, id, hosts.kill, new Set(killed))
          return { system, id }
        }
        const plain = await run([])
        const killed = await run(kills)
        const task = plain.system.get(plain.id)
        t.equal(task.status, 'completed')
        t.same(shown(killed.system.get(killed.id)), shown(task))
        for (const { system, id } of [plain, killed]) {
          const replay = await system.recall.replay(system.queries.visible(admin, id) as never)
          t.match(replay, { matches: true, mismatches: [] })
          const before = JSON.stringify(system.get(id))
          const again = await restarted(system)
          t.equal(JSON.stringify(again.get(id)), before)
          await again.close()
        }
      },
    )
    await fc.assert(property, { numRuns: 25, endOnFailure: true })
  },
)
