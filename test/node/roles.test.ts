import tap from 'tap'
import { type Role, runRoles } from '../../src/node/roles.ts'

/** Resolves when the work that is under way has come to rest. */
const settle = () => new Promise(resolve => setImmediate(resolve))

/** A node whose lease, log and shard do what the test says. */
const nodeOf = ({ failing = [] as ('follow' | 'claim' | 'open')[] } = {}) => {
  const log: string[] = []
  const stopping = new AbortController()
  let [isMine, isTheirs, isFenced, isDrained] = [false, false, false, false]
  let wake: (() => void)[] = []
  const failOnce = (what: 'claim' | 'open') => {
    const at = failing.indexOf(what)
    if (at < 0) return
    failing.splice(at, 1)
    throw new Error(`${what} failed`)
  }
  const change = async (set: () => void) => {
    set()
    const waiting = wake
    wake = []
    for (const each of waiting) each()
    for (let n = 0; n < 5; n++) await settle()
  }
  const done = runRoles({
    async standBy() {
      log.push('follow')
      return {
        mayTakeOver: () => !isDrained && !failing.includes('follow'),
        end: async () => void log.push('follow no more'),
      }
    },
    async claim() {
      isFenced = false
      failOnce('claim')
      log.push('claim')
    },
    async open() {
      failOnce('open')
      log.push('open')
      return { end: async () => void log.push('close') }
    },
    async drain() {
      log.push('drain')
    },
    lease: {
      isMine: () => isMine,
      isTheirs: () => isTheirs,
      want: isWanted => void log.push(isWanted ? 'want' : 'want not'),
      async release() {
        isMine = false
        log.push('release')
      },
    },
    isFenced: () => isFenced,
    mustYield: () => isDrained,
    change: () => new Promise(resolve => void wake.push(resolve)),
    stopping: stopping.signal,
    pause: async () => {},
    entered: (role: Role) => void log.push(`is ${role}`),
    report: (_level, message) => void log.push(message),
  })
  return {
    done,
    /** What the node did since the last call. */
    did: () => log.splice(0),
    settle: () => change(() => {}),
    leased: () =>
      change(() => {
        isMine = true
        isTheirs = false
      }),
    overtaken: () =>
      change(() => {
        isMine = false
        isTheirs = true
      }),
    fenced: () =>
      change(() => {
        isFenced = true
      }),
    drained: (is = true) =>
      change(() => {
        isDrained = is
      }),
    stop: () => change(() => stopping.abort()),
  }
}

const asStandby = ['is standby', 'follow', 'want']
const asOwner = ['is claiming', 'claim', 'follow no more', 'open', 'is owner']

tap.test('a node follows until it has the lease, then claims the log and opens the shard', async t => {
  const node = nodeOf()
  await node.settle()
  t.strictSame(node.did(), asStandby)
  await node.leased()
  t.strictSame(node.did(), asOwner)
})

tap.test(
  'an owner that stops lets steps finish, closes the shard, and gives the lease back last',
  async t => {
    const node = nodeOf()
    await node.leased()
    node.did()
    await node.stop()
    await node.done
    t.strictSame(node.did(), ['is leaving', 'drain', 'close', 'want not', 'release', 'is leaving'])
  },
)

tap.test(
  'a drained owner lets steps finish, gives the lease back, and wants it again at the end',
  async t => {
    const node = nodeOf()
    await node.leased()
    node.did()
    await node.drained()
    const gives = ['is leaving', 'drain', 'close', 'want not', 'release']
    t.strictSame(node.did(), [...gives, 'is standby', 'follow', 'want not'])
    await node.drained(false)
    t.strictSame(node.did(), ['want'])
    await node.leased()
    t.strictSame(node.did(), asOwner)
  },
)

const givesUp = ['is leaving', 'another node owns the shard now: this node becomes a standby', 'close']

tap.test('an owner whose lease another node has got closes the shard at once, and follows again', async t => {
  const node = nodeOf()
  await node.leased()
  node.did()
  await node.overtaken()
  t.strictSame(node.did(), [...givesUp, ...asStandby])
})

tap.test('an owner that the log refuses although the lease is its own claims the log again', async t => {
  const node = nodeOf()
  await node.leased()
  node.did()
  await node.fenced()
  t.strictSame(node.did(), [...givesUp, ...asStandby, ...asOwner])
})

for (const failing of ['claim', 'open'] as const) {
  tap.test(`a node whose ${failing} fails gives the lease back, and tries again later`, async t => {
    const node = nodeOf({ failing: [failing] })
    await node.leased()
    const did = node.did()
    t.strictSame(did.slice(did.indexOf(`this node could not take over: ${failing} failed`)), [
      `this node could not take over: ${failing} failed`,
      'want not',
      'release',
      ...asStandby,
    ])
    await node.leased()
    t.strictSame(node.did(), asOwner)
  })
}

tap.test('a standby that stops only stops to follow', async t => {
  const node = nodeOf()
  await node.settle()
  node.did()
  await node.stop()
  await node.done
  t.strictSame(node.did(), ['follow no more', 'want not', 'is leaving'])
})

tap.test('a node that cannot follow the log does not want the lease', async t => {
  const node = nodeOf({ failing: ['follow'] })
  await node.settle()
  t.strictSame(node.did(), ['is standby', 'follow', 'want not'])
  await node.stop()
  await node.done
  t.strictSame(node.did(), ['follow no more', 'want not', 'is leaving'])
})
