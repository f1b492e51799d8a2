// In each state of a cron job, each event leads the machine of XState to the state that the table names, and an event
// that the table lacks does not change it.
import t from 'tap'
import { createActor } from 'xstate'
import { type CronState, cronChart, cronMoveOf } from '../../src/contract/charts/cron-chart.ts'
import { type CronEventType, cronEventSchemas } from '../../src/contract/events/cron-events.ts'
import { cronMachine } from '../actors/machines.ts'

const types = Object.keys(cronEventSchemas) as CronEventType[]

t.test('table and machine agree for every state and event of a cron job', async t => {
  const seen = new Set<string>()
  for (const state of Object.keys(cronChart.states) as CronState[]) {
    for (const type of types) {
      const machine = createActor(cronMachine, {
        snapshot: cronMachine.resolveState({ value: state }),
      }).start()
      machine.send({ type })
      const to = cronMoveOf(state, type)
      const what = `${state}, ${type}`
      t.equal(machine.getSnapshot().value, to ?? state, what)
      if (to !== undefined) seen.add(type)
      machine.stop()
    }
  }
  t.same([...seen].sort(), [...types].sort(), 'each event is allowed in some state')
})
