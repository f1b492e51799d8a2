// A server killed at every point of a tool call: nothing that must not be repeated is repeated by itself.
import t from 'tap'
import { killedEverywhere } from './kills.ts'

const points = (asked: string[]) => [...new Set(asked.map(at => at.replace(/^\d+: /, '')))]

for (const name of ['pay', 'ship'] as const) {
  t.test(`killed around the unsafe tool "${name}", it runs once or a person is asked`, async t => {
    const { asked } = await killedEverywhere(
      t,
      async system => {
        await system.play([{ message: 'before' }, { tool: name }, { message: 'got $result' }])
      },
      { unsafe: 1 },
    )
    t.same(points(asked), [`tool ${name} after-intent`, `tool ${name} during`, `tool ${name} after-effect`])
  })
}

t.test('killed around a safe tool, the task ends by itself', async t => {
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play([{ tool: 'note' }, { message: 'got $result' }])
    },
    {},
  )
  t.same(asked, [])
})

t.test('killed around a call that is the last thing an agent does', async t => {
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play([{ tool: 'pay' }])
    },
    { unsafe: 1 },
  )
  t.equal(asked.length, 3)
})

t.test('killed around five calls at once, each is looked after by itself', async t => {
  const child = JSON.stringify([{ tool: 'note' }, { message: 'child done' }])
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play([
        {
          tools: [
            { tool: 'pay', arguments: {} },
            { tool: 'note', arguments: {} },
            { tool: 'agent_script', arguments: { input: child } },
            { tool: 'ship', arguments: {} },
            { tool: 'nowhere', arguments: {} },
          ],
        },
        { message: 'all done' },
      ])
    },
    { unsafe: 2 },
  )
  t.ok(asked.length > 3)
})
