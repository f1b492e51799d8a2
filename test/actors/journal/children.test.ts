// A server killed at every point of a subagent's call: the task is found again, and never made twice.
import t from 'tap'
import type { ScriptStep } from '../../../src/contract/wire.ts'
import { tasksIn } from './checks.ts'
import { killedEverywhere } from './kills.ts'

const child = (...steps: ScriptStep[]): ScriptStep => ({ subagent: 'script', input: JSON.stringify(steps) })
const points = (asked: string[]) => [...new Set(asked.map(at => at.replace(/^\d+: /, '')))]

t.test('killed around a child, everything ends by itself with one child', async t => {
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play([child({ message: 'mine' }), { message: 'got $result' }])
    },
    {
      async also(t, at, tasks, _outside, system) {
        t.equal((await tasksIn(system)).length, 2, `${at}: one child`)
        const said = JSON.stringify(tasks[0]?.output.at(-1))
        t.match(said, /got mine/, at)
      },
    },
  )
  t.same(asked, [])
})

t.test('killed around a child of a child with a safe tool, everything ends by itself', async t => {
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play([
        child(child({ tool: 'note' }, { message: 'deep' }), { message: 'less deep' }),
        { message: 'got $result' },
      ])
    },
    {
      async also(t, at, tasks, _outside, system) {
        t.equal((await tasksIn(system)).length, 3, `${at}: one child each`)
        t.match(JSON.stringify(tasks[0]?.output.at(-1)), /got less deep/, at)
      },
    },
  )
  t.same(asked, [])
})

t.test('killed around a child whose tool is unsafe, the child asks and its caller waits', async t => {
  const { asked } = await killedEverywhere(
    t,
    async system => {
      await system.play([child({ tool: 'pay' }, { message: 'paid' }), { message: 'got $result' }])
    },
    {
      unsafe: 1,
      also: (t, at, tasks) => void t.match(JSON.stringify(tasks[0]?.output.at(-1)), /got paid/, at),
    },
  )
  t.same(points(asked), ['tool pay after-intent', 'tool pay during', 'tool pay after-effect'])
})

t.test('killed around two children and a tool at once', async t => {
  const step = (input: ScriptStep[]) => ({
    tool: 'agent_script',
    arguments: { input: JSON.stringify(input) },
  })
  await killedEverywhere(
    t,
    async system => {
      await system.play([
        {
          tools: [
            step([{ tool: 'ship' }]),
            step([{ sleep_ms: 700 }, { message: 'late' }]),
            { tool: 'pay', arguments: {} },
          ],
        },
        { message: 'done' },
      ])
    },
    { unsafe: 2 },
  )
})

t.test('killed around a child that fails, its caller hears of it and goes on', async t => {
  await killedEverywhere(
    t,
    async system => {
      await system.play([
        child({ tool: 'note' }, { fail: { code: -32000, message: 'no' } }),
        { message: 'on' },
      ])
    },
    {
      ends: ['completed', 'failed'],
      also(t, at, tasks) {
        t.same(
          tasks.map(task => task.status),
          ['completed', 'failed'],
          at,
        )
      },
    },
  )
})
