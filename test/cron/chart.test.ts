// In each state of a cron job, each event leads the machine of XState and the actor beside the job to the state that
// the table names, and an event that the table lacks changes neither.
import t from 'tap'
import { createActor } from 'xstate'
import { liveCronJob } from '../../actors/cron/live.ts'
import { cronMachine } from '../../actors/cron/machine.ts'
import { type CronState, cronChart, cronMoveOf } from '../../src/contract/cron-chart.ts'
import { type CronEventType, cronEventSchemas } from '../../src/contract/cron-events.ts'

const types = Object.keys(cronEventSchemas) as CronEventType[]

t.test('table, machine and live actor agree for every state and event of a cron job', async t => {
  const seen = new Set<string>()
  for (const state of Object.keys(cronChart.states) as CronState[]) {
    for (const type of types) {
      const machine = createActor(cronMachine, {
        snapshot: cronMachine.resolveState({ value: state }),
      }).start()
      machine.send({ type })
      let shown: unknown = state
      const live = liveCronJob.run('cron', { at: state }, event => {
        if (event.type === '@xstate.snapshot') shown = (event.snapshot as { value?: unknown }).value
      })
      live.take({ position: 1, header: { type } as never, data: {} })
      const to = cronMoveOf(state, type)
      const what = `${state}, ${type}`
      t.equal(machine.getSnapshot().value, to ?? state, `the machine: ${what}`)
      t.equal(shown, to ?? state, `the actor: ${what}`)
      if (to !== undefined) seen.add(type)
      live.stop()
      machine.stop()
    }
  }
  t.same([...seen].sort(), [...types].sort(), 'each event is allowed in some state')
})
