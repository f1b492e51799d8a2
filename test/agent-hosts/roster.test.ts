// Which host a lease goes to, and in which order.
import t from 'tap'
import type { HeldLease } from '../../src/agent-hosts/connection.ts'
import { createRoster, type Host } from '../../src/agent-hosts/roster.ts'
import { settle } from '../support/world.ts'
import { fakeTask } from './support/task.ts'

const given = () => {
  const begun: string[] = []
  const wanted: string[] = []
  /** The agents of users that are listed. */
  const own = new Set<string>()
  const roster = createRoster({
    isOwn: (agent, user) => own.has(`${user} ${agent}`),
    wanted: agent => void wanted.push(agent),
    fault: error => {
      throw error
    },
  })
  let made = 0
  const host = (
    name: string,
    {
      user,
      version = '1',
      slots = 10,
      agents = ['good'],
    }: {
      user?: string
      version?: string
      slots?: number
      agents?: string[]
    } = {},
  ) => {
    const leases = new Set<HeldLease>()
    const own: Host = {
      ...{ id: `${made++}`, name, user, isWorker: true, slots, connectedAt: made },
      agents: new Map(agents.map(agent => [agent, { name: agent, kind: 'function', version }])),
      connection: {
        leases: () => leases.size,
        unheard: () => 0,
        begin(listener, of) {
          const { user, agent } = listener.begin()
          begun.push(`${user} ${agent} on ${name}`)
          const lease: HeldLease = {
            results: () => {},
            run: () => {},
            stop() {
              leases.delete(lease)
              roster.freed(own)
            },
          }
          leases.add(lease)
          listener.began(of)
          return lease
        },
      },
    }
    roster.add(own)
    return own
  }
  const ask = (options: Parameters<typeof fakeTask>[1] = {}) => {
    const { agent = 'good', user = 'anna' } = options
    return fakeTask(roster, { again: false, isOwn: roster.find(agent, user)?.isOwn === true, ...options })
  }
  return { roster, host, ask, begun, wanted, own }
}

t.test('a lease whose task only waits gives its slot to one that waits for it', async t => {
  const { host, ask, begun } = given()
  host('small', { slots: 1 })
  const first = ask({ user: 'ben' })
  await settle()
  const second = ask({ user: 'eve' })
  await settle()
  t.same(begun, ['ben good on small'])
  first.rests(true)
  t.same(begun, ['ben good on small', 'eve good on small'])
  t.match(first.ends, [{ why: 'released' }])
  second.rests(true)
  second.rests(false)
  ask({ user: 'ben' })
  await settle()
  t.equal(begun.length, 2, 'a task that goes on keeps its slot')
})

t.test('a lease goes to a host of its own user before a shared one, and never to one of another', async t => {
  const { roster, host, ask, begun, wanted } = given()
  host('bens', { user: 'ben' })
  ask()
  await settle()
  t.same(begun, [])
  t.same(wanted, ['good'])
  t.equal(roster.find('good', 'anna'), undefined)
  const shared = host('shared')
  t.same(begun, ['anna good on shared'])
  host('annas', { user: 'anna' })
  ask()
  ask({ user: 'ben' })
  ask({ user: 'eve' })
  await settle()
  t.same(begun.slice(1), ['anna good on annas', 'ben good on bens', 'eve good on shared'])
  roster.remove(shared)
  ask({ user: 'eve' })
  await settle()
  t.equal(begun.length, 4)
})

t.test('a task that began on a shared host never goes on in a worker of its user', async t => {
  const { roster, host, ask, begun, own } = given()
  own.add('anna good')
  host('annas', { user: 'anna' })
  const task = ask({ isOwn: false })
  await settle()
  t.same(begun, [])
  t.equal(roster.find('good', 'anna', false), undefined, 'so it waits for a worker')
  t.match(roster.find('good', 'anna'), { isOwn: true })
  host('shared')
  t.same(begun, ['anna good on shared'])
  t.same(task.versions, ['1'])
})

t.test('a task that began in a worker of its user never goes on in a worker for all users', async t => {
  const { roster, host, ask, begun } = given()
  host('shared')
  ask({ isOwn: true })
  await settle()
  t.same(begun, [])
  t.equal(roster.find('good', 'anna', true), undefined, 'so it waits for a worker')
  host('annas', { user: 'anna' })
  t.same(begun, ['anna good on annas'])
})

t.test(
  'a suspect begins as soon as the leases of one host are heard, since none begins there meanwhile',
  async t => {
    const { roster, host, ask, begun } = given()
    const [busy, other] = [host('busy'), host('other')]
    let unheard = 1
    busy.connection.unheard = () => unheard
    other.connection.unheard = () => 2
    const suspect = ask({ again: true })
    await settle()
    suspect.listener.over({ why: 'died', message: 'the host has died', unheard: 'alone' })
    ask()
    await settle()
    t.same(begun.slice(1), ['anna good on other'])
    unheard = 0
    roster.heard(busy)
    t.same(begun.slice(2), ['anna good on busy'])
  },
)

t.test('a host that was kept for a suspect takes others again when the suspect begins elsewhere', async t => {
  const { roster, host, ask, begun } = given()
  const [kept, other] = [host('kept', { agents: ['good', 'more'] }), host('other')]
  let unheard = 2
  kept.connection.unheard = () => 1
  other.connection.unheard = () => unheard
  const suspect = ask({ again: true })
  await settle()
  suspect.listener.over({ why: 'died', message: 'the host has died', unheard: 'alone' })
  ask({ agent: 'more' })
  await settle()
  t.equal(begun.length, 1)
  unheard = 0
  roster.heard(other)
  t.same(begun.slice(1), ['anna good on other', 'anna more on kept'])
})

t.test(
  'a lease goes to the version with which its task began while it is there, then to the newest',
  async t => {
    const { roster, host, ask, begun } = given()
    const old = host('old', { version: '1' })
    host('new', { version: '2' })
    t.equal(roster.find('good', 'anna')?.version, '2', 'new tasks begin on what connected last')
    ask({ version: '1' })
    ask({ version: '2' })
    ask({ version: '0' })
    await settle()
    t.same(begun, ['anna good on old', 'anna good on new', 'anna good on new'])
    roster.remove(old)
    const task = ask({ version: '1' })
    await settle()
    t.same(task.versions, ['2'])
  },
)

t.test('users take turns for slots, and a free slot is given at once', async t => {
  const { host, ask, begun } = given()
  host('small', { slots: 1 })
  const first = ask()
  await settle()
  const annas = [ask(), ask(), ask()]
  const bens = ask({ user: 'ben' })
  await settle()
  t.equal(begun.length, 1)
  first.stop('rest')
  for (const task of [...annas.slice(0, 1), bens, ...annas.slice(1)]) task.stop('rest')
  t.same(
    begun,
    ['anna', 'anna', 'ben', 'anna', 'anna'].map(user => `${user} good on small`),
  )
})

t.test(
  'leases that wait for a full host go to a new one, and a lease that is stopped waits no more',
  async t => {
    const { roster, host, ask, begun } = given()
    const full = host('full', { slots: 1 })
    ask()
    await settle()
    ask()
    const stopped = ask()
    await settle()
    stopped.stop('canceled')
    host('other')
    t.same(begun, ['anna good on full', 'anna good on other'])
    ask()
    await settle()
    t.equal(begun.at(-1), 'anna good on other', 'the one with the most free slots')
    roster.remove(full)
    t.equal(begun.length, 3)
  },
)

t.test('the agents of one host share its slots, and take turns', async t => {
  const { host, ask, begun } = given()
  host('two', { slots: 1, agents: ['good', 'best'] })
  const tasks = [ask()]
  await settle()
  tasks.push(ask(), ask(), ask({ agent: 'best' }))
  await settle()
  for (let round = 0; round < 3; round++) {
    const at = tasks.findIndex(task => task.versions.length === 1)
    tasks.splice(at, 1)[0]?.stop('rest')
  }
  t.equal(begun.length, 4)
  t.ok(begun.indexOf('anna best on two') < 3, 'no agent waits for all leases of another')
})

t.test('once it is closed, no lease begins', async t => {
  const { roster, host, ask, begun } = given()
  host('one', { slots: 1 })
  const first = ask()
  await settle()
  ask()
  roster.close()
  first.stop('ended')
  ask()
  await settle()
  t.equal(begun.length, 1)
})
