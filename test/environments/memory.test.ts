// The watch over the memory of processes, with a machine that is made up, and the look at the real one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { createLookout } from '../../src/platform/programs/lookout.ts'
import { look } from '../../src/platform/programs/machine-look.ts'
import { createMemoryWatch } from '../../src/platform/programs/memory-watch.ts'

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
  let lookOnce = () => {}
  const timers = {
    every(_: number, call: () => void) {
      lookOnce = call
      return () => {}
    },
  }
  const ended: number[] = []
  const watch = createMemoryWatch(timers, {
    async look(watched) {
      during()
      return look(seen, watched)
    },
    end() {},
  })
  const begin = (pid: number) => watch.watch(pid, 512 * MiB, () => ended.push(pid))
  return {
    begin,
    ended,
    async run() {
      lookOnce()
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

t.test(
  'a thread finds a process with those that it has started, again also after the thread has ended',
  async t => {
    const alive = setInterval(() => {}, 1000) // the thread keeps no process alive
    const lookout = createLookout()
    const shell = spawn('sh', ['-c', 'sleep 60 & echo started; wait'], { detached: true })
    t.teardown(() => {
      clearInterval(alive)
      lookout.end()
      process.kill(-(shell.pid ?? 0), 'SIGKILL')
    })
    await once(shell.stdout, 'data')
    const pid = shell.pid ?? 0
    const found = async () => {
      const seen = await lookout.look([pid])
      t.ok(
        seen.every(({ resident }) => resident > 0),
        'each of them has memory',
      )
      return seen.map(({ owner, session }) => ({ owner, session }))
    }
    const both = Array.from({ length: 2 }, () => ({
      owner: pid,
      session: process.platform === 'linux' ? pid : 0,
    }))
    t.same(await found(), both)
    const broken = lookout.look([pid])
    lookout.end()
    await t.rejects(broken, /nothing is watched/)
    t.same(await found(), both)
  },
)
