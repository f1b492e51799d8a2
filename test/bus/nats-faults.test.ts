// NATS killed, emptied, cut off, held up, at random, while events are stored and followed: every follower ends with
// exactly the public events of the log, in order, once; and so does the stream.
import t from 'tap'
import { pause, until } from '../support/http.ts'
import { natsServer, noNats, storedIn, wayTo } from '../support/nats.ts'
import { randomOf } from '../support/world.ts'
import { chainOf, givenBus, wordsIn, wordsOf } from './nats-support.ts'

const seed = Number(process.env.SEED ?? 20_260_101)
const faults = Number(process.env.FAULTS ?? 10)
t.setTimeout(Math.max(60_000, faults * 5_000))

t.test(
  `whatever happens to NATS, everybody hears everything once, in order (SEED=${seed})`,
  { skip: noNats },
  async t => {
    const random = randomOf(seed)
    const upTo = (n: number) => Math.floor(random() * n)
    const nats = await natsServer(t)
    const way = await wayTo(t, nats.port)
    const bus = await givenBus(t, way.url)
    await bus.append(40)
    bus.start()

    const followers = [bus.follow()]
    const slow = new Set<{ resume(): void }>()
    const someFollower = () => {
      const after = [0, bus.events.position(), upTo(bus.log.head() + 1)][upTo(3)] as number
      const isSlow = random() < 0.5
      const follower = bus.follow(after, () => !isSlow || random() < 0.5)
      if (isSlow) slow.add(follower)
      return { ...follower, after }
    }
    const others = [someFollower()]
    let enough = false
    const writing = (async () => {
      while (!enough) {
        for (let n = upTo(4); n > 0; n--) await bus.append(1 + upTo(20))
        for (const follower of slow) follower.resume()
        await pause(upTo(20))
      }
    })()

    const ops: Record<string, () => unknown> = {
      cut: way.cut,
      hold: async () => {
        way.hold()
        await pause(upTo(600))
        way.release()
      },
      kill: async () => {
        await nats.kill()
        await pause(upTo(150))
        await nats.start()
      },
      empty: async () => {
        await nats.kill()
        await nats.start({ empty: true })
      },
      stopped: async () => {
        nats.signal('SIGSTOP')
        await pause(upTo(600))
        nats.signal('SIGCONT')
      },
      follow: () => others.push(someFollower()),
    }
    const names = Object.keys(ops)
    const seen: string[] = []
    for (let n = 0; n < faults; n++) {
      // Each of them once at least.
      const name = names[n < names.length ? n : upTo(names.length)] as string
      seen.push(name)
      await ops[name]?.()
      await pause(upTo(250))
    }
    // Both ways have carried events at the end, however slow the machine is.
    way.hold()
    await until(() => bus.counts().delivered.log > 0)
    way.release()
    await until(() => bus.counts().delivered.nats > 0)
    enough = true
    await writing
    await bus.append(4)
    await bus.caughtUp(60_000)

    const told = await bus.told()
    const words = wordsOf(told)
    for (const [n, follower] of [...followers.map(each => ({ ...each, after: 0 })), ...others].entries()) {
      const expected = wordsOf(told.filter(({ position }) => position > follower.after))
      await until(() => {
        follower.resume()
        return follower.got.length >= expected.length
      })
      t.ok(
        JSON.stringify(follower.got) === JSON.stringify(expected),
        `follower ${n}, after ${follower.after}`,
      )
    }
    const stored = await storedIn(await nats.client(t))
    t.ok(
      JSON.stringify(wordsIn(stored)) === JSON.stringify(words),
      `${stored.length} stored for ${words.length}`,
    )
    t.ok(chainOf(stored))
    const counts = bus.counts()
    t.equal(counts.foreign, 0)
    t.comment(JSON.stringify({ seen, events: told.length, ...counts }))
  },
)
