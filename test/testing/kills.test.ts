// killEverywhere of reprise/testing: a story that is told again with a kill at each append of the server and at each message of its
// agents.
import t from 'tap'
import type { Context } from '../../library/agent/types.ts'
import { killEverywhere } from '../../library/testing/index.ts'

t.test('a story ends the same wherever server and agents are killed, and acts once', async t => {
  const acted: string[][] = []
  const { result, kills } = await killEverywhere(async start => {
    const acts: string[] = []
    acted.push(acts)
    const server = await start({
      agents: {
        async mine(ctx: Context) {
          const first = await ctx.run('act', () => acts.push(ctx.input.text))
          const asked = await ctx.ask('go on', { first })
          await ctx.sleep(3_600_000)
          return `${first} ${asked}`
        },
      },
      onUnknownEffect: () => (acts.length > 0 ? acts.length : undefined),
    })
    const task = await server.task('mine', 'once')
    await task.answer('yes')
    await server.clock.advance('2 hours')
    return task.result()
  })
  t.equal(result, '1 yes')
  t.ok(kills > 15, `${kills} kills`)
  t.same(
    acted.filter(acts => acts.length !== 1),
    [],
  )
})

t.test('a story that kills and restarts its server itself is told to its end', async t => {
  const { result, kills } = await killEverywhere(
    async start => {
      const server = await start({ agents: { mine: async (ctx: Context) => ctx.ask('go on') } })
      const task = await server.task('mine', 'x')
      await task.question()
      await server.kill()
      await server.restart()
      await task.answer('yes')
      return task.result()
    },
    { of: ['server'], every: 3 },
  )
  t.equal(result, 'yes')
  // A kill right before and right after one append before the restart, and one after it.
  t.ok(kills >= 4, `${kills} kills`)
})

t.test('a story that a kill changes is found, with the words where', async t => {
  const broken = killEverywhere(async start => {
    let count = 0
    const server = await start({
      agents: { mine: async (ctx: Context) => ctx.run('count', () => ++count, { safe: true }) },
    })
    return (await server.task('mine', 'x')).result()
  })
  await t.rejects(broken, /with the (server|agents) killed .*, the story has another result/)
})

t.test('a story that fails without a kill says so', async t => {
  await t.rejects(
    killEverywhere(async start => {
      const server = await start({ agents: { mine: () => Promise.reject(new Error('no luck')) } })
      return (await server.task('mine', 'x')).result()
    }),
    /without a kill: the task .* has no answer: it is failed.*no luck/,
  )
})
