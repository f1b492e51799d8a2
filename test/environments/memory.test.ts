// The watch over the memory of processes, with a machine that is made up.
import t from 'tap'
import { createMemoryWatch } from '../../src/environments/memory.ts'

const MiB = 1024 * 1024
/** The server 100 with 900 MiB, and the process 200 that it starts, with 50 MiB. */
const machine = (groupOfStarted: number) => ({
  processes: [
    { pid: 100, parent: 1, group: 100, session: 100, cpuMs: 0 },
    { pid: 200, parent: 100, group: groupOfStarted, session: 200, cpuMs: 0 },
  ],
  residentOf: (pid: number) => (pid === 100 ? 900 : 50) * MiB,
  waitedOf: () => 0,
})

/** A watch over this machine; `during` happens while the processes are read. */
const watchOver = (seen: ReturnType<typeof machine>, during: () => void) => {
  let look = () => {}
  const timers = {
    every(_: number, call: () => void) {
      look = call
      return () => {}
    },
  }
  const ended: number[] = []
  const watch = createMemoryWatch(timers, async () => {
    during()
    return seen
  })
  const begin = (pid: number) => watch.watch(pid, 512 * MiB, () => ended.push(pid))
  return {
    begin,
    ended,
    async run() {
      look()
      await new Promise(resolve => setImmediate(resolve))
    },
  }
}

t.test('a process that is seen while it starts is not charged with the group of the server', async t => {
  const machines = watchOver(machine(100), () => machines.begin(200))
  machines.begin(300) // there is a watch, so there are looks
  await machines.run()
  t.same(machines.ended, [])
})

t.test('a process over its limit is ended', async t => {
  const machines = watchOver({ ...machine(200), residentOf: () => 600 * MiB }, () => {})
  machines.begin(200)
  await machines.run()
  t.same(machines.ended, [200])
})
