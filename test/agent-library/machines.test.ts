// Statecharts as agents: machines after the ideas of XState's documentation, each driven by the server's side alone.
import tap from 'tap'
import {
  type AnyStateMachine,
  assign,
  createMachine,
  emit,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  raise,
  sendTo,
  setup,
  spawnChild,
} from 'xstate'
import { machineAgent } from '../../library/agent/definition.ts'
import type { MachineRun } from '../../library/agent/types.ts'
import { beginOf, hostHere, type Told } from './support/peer.ts'

/** Runs a machine, and plays the server: what it stores, it gives back when the machine runs again. */
const play = (chart: AnyStateMachine, run: Record<string, MachineRun> = {}) => {
  const peer = hostHere({ chart: machineAgent(chart, { run }) })
  const entries: Told[] = []
  const stored: Told[] = []
  let at = 1000
  let lease = 0
  const next = async () => {
    const turn = await peer.next()
    for (const { n, ...move } of turn.moves) if (n !== undefined) entries[n - 1] = move
    return turn
  }
  const begin = (given: object = {}) => {
    peer.send(beginOf('chart', { lease: `l_${++lease}`, entries, results: stored, ...given }))
    return next()
  }
  const give = (n: number, result: object) => {
    at += 100
    stored.push({ n, at, ...result })
    peer.send({ type: 'results', lease: `l_${lease}`, results: stored.slice(-1) })
    return next()
  }
  /** The number of the last entry of this kind. */
  const last = (kind: string): number => entries.findLastIndex(entry => entry.do === kind) + 1
  return {
    ...peer,
    begin,
    give,
    entries,
    last,
    /** Sends an event as the user does. */
    event: (type: string, more: object = {}) =>
      give(last('message'), { value: { id: 'm', text: '', content: '', event: { type, ...more } } }),
    elapse: () => give(last('sleep'), { value: null }),
    run: (n: number) => {
      peer.send({ type: 'run', lease: `l_${lease}`, n })
      return next()
    },
  }
}

const toggle = createMachine({
  id: 'toggle',
  initial: 'inactive',
  states: { inactive: { on: { toggle: 'active' } }, active: { on: { toggle: 'inactive' } } },
})

tap.test('a toggle: each event moves it, and each move is told', async t => {
  const { begin, event } = play(toggle)
  t.match(await begin(), {
    seen: 0,
    moves: [{ n: 1, do: 'message' }],
    machine: { value: 'inactive', context: {}, next_events: ['toggle'] },
  })
  t.match(await event('toggle'), { seen: 1, moves: [{ n: 2, do: 'message' }], machine: { value: 'active' } })
  t.match(await event('toggle'), { seen: 2, machine: { value: 'inactive' } })
  t.match(
    await begin(),
    { seen: 2, moves: [], machine: { value: 'inactive' } },
    'it runs again, and is where it was',
  )
})

tap.test('a counter keeps its context', async t => {
  const counter = setup({
    types: {} as { context: { count: number }; events: { type: 'inc' } | { type: 'set'; to: number } },
  }).createMachine({
    id: 'counter',
    context: { count: 0 },
    on: {
      inc: { actions: assign({ count: ({ context }) => context.count + 1 }) },
      set: { actions: assign({ count: ({ event }) => event.to }) },
    },
  })
  const { begin, event } = play(counter)
  t.match(await begin(), { machine: { context: { count: 0 }, next_events: ['inc', 'set'] } })
  t.match(await event('inc'), { machine: { context: { count: 1 } } })
  t.match(await event('set', { to: 40 }), { machine: { context: { count: 40 } } })
  t.match(await event('unknown'), { machine: { context: { count: 40 } } })
})

const light = createMachine({
  id: 'light',
  initial: 'green',
  states: {
    green: { after: { 3000: 'yellow' } },
    yellow: { after: { 1000: 'red' } },
    red: { after: { 2000: 'green' } },
  },
})

tap.test('a traffic light: a delay is a timer of the server', async t => {
  const { begin, elapse } = play(light)
  t.match(await begin(), {
    moves: [{ n: 1, do: 'sleep', until: 4000 }],
    machine: { value: 'green', next_events: [] },
  })
  t.match(await elapse(), { moves: [{ n: 2, do: 'sleep', until: 2100 }], machine: { value: 'yellow' } })
  t.match(await elapse(), { moves: [{ n: 3, do: 'sleep', until: 3200 }], machine: { value: 'red' } })
  t.match(await elapse(), { machine: { value: 'green' } })
})

tap.test('a fetch with retry calls the server, and tries again after a failure', async t => {
  const fetching = createMachine({
    types: {} as { context: { tries: number; user: unknown; error: unknown } },
    id: 'fetch',
    initial: 'loading',
    context: { tries: 0, user: null, error: null },
    states: {
      loading: {
        entry: assign({ tries: ({ context }) => context.tries + 1 }),
        invoke: {
          src: 'tool:find_user',
          input: ({ context }) => ({ id: 7, tried: context.tries }),
          onDone: { target: 'success', actions: assign({ user: ({ event }) => event.output }) },
          onError: [
            { guard: ({ context }) => context.tries < 2, target: 'waiting' },
            { target: 'failure', actions: assign({ error: ({ event }) => event.error }) },
          ],
        },
      },
      waiting: { after: { 500: 'loading' } },
      success: { type: 'final' },
      failure: { type: 'final' },
    },
    output: ({ context }) => context.user ?? context.error,
  })
  const first = play(fetching)
  t.match(await first.begin(), {
    moves: [{ n: 1, do: 'tool', name: 'find_user', arguments: { id: 7, tried: 1 } }],
  })
  t.match(await first.give(1, { error: { kind: 'tool', message: 'busy' } }), {
    moves: [{ n: 2, do: 'sleep', until: 1600 }],
    machine: { value: 'waiting' },
  })
  t.match(await first.elapse(), { moves: [{ n: 3, do: 'tool' }] })
  t.match(await first.give(3, { value: { text: 'Ada' } }), {
    machine: { value: 'success', context: { tries: 2, user: 'Ada' } },
    outcome: { answer: 'Ada' },
  })
  const second = play(fetching)
  await second.begin()
  await second.give(1, { error: { kind: 'tool', message: 'busy' } })
  await second.elapse()
  t.match(await second.give(3, { error: { kind: 'tool', message: 'gone' } }), {
    outcome: { answer: { name: 'ToolError', kind: 'tool', message: 'gone' } },
  })
})

tap.test('a form wizard goes through its steps, and keeps what was entered', async t => {
  const wizard = setup({
    types: {} as {
      context: { name: string; mail: string }
      events: { type: 'next'; value: string } | { type: 'back' }
    },
    guards: { isFilled: ({ event }) => event.type === 'next' && event.value !== '' },
  }).createMachine({
    id: 'wizard',
    initial: 'name',
    context: { name: '', mail: '' },
    states: {
      name: {
        on: {
          next: { guard: 'isFilled', target: 'mail', actions: assign({ name: ({ event }) => event.value }) },
        },
      },
      mail: {
        on: {
          back: 'name',
          next: { guard: 'isFilled', target: 'sent', actions: assign({ mail: ({ event }) => event.value }) },
        },
      },
      sent: { type: 'final' },
    },
    output: ({ context }) => context,
  })
  const { begin, event } = play(wizard)
  t.match(await begin(), { machine: { value: 'name', next_events: ['next'] } })
  t.match(await event('next', { value: '' }), { machine: { value: 'name' } }, 'a guard keeps it')
  t.match(await event('next', { value: 'Ada' }), {
    machine: { value: 'mail', next_events: ['back', 'next'] },
  })
  t.match(await event('back'), { machine: { value: 'name', context: { name: 'Ada' } } })
  await event('next', { value: 'Bob' })
  t.match(await event('next', { value: 'b@x' }), { outcome: { answer: { name: 'Bob', mail: 'b@x' } } })
})

tap.test('parallel states move side by side, and are done together', async t => {
  const upload = createMachine({
    id: 'upload',
    type: 'parallel',
    states: {
      file: { initial: 'sending', states: { sending: { on: { sent: 'done' } }, done: { type: 'final' } } },
      scan: {
        initial: 'checking',
        states: {
          checking: { invoke: { src: 'model', input: 'Is it clean?', onDone: 'done' } },
          done: { type: 'final' },
        },
      },
    },
    output: () => 'stored',
  })
  const { begin, event, give } = play(upload)
  t.match(await begin(), {
    moves: [{ do: 'model', messages: [{ role: 'user', content: 'Is it clean?' }] }, { do: 'message' }],
    machine: { value: { file: 'sending', scan: 'checking' } },
  })
  t.match(await event('sent'), { machine: { value: { file: 'done', scan: 'checking' } } })
  t.match(await give(1, { value: { text: 'yes' } }), { outcome: { answer: 'stored' } })
})

tap.test('a history state remembers where the machine was', async t => {
  const wash = createMachine({
    id: 'wash',
    initial: 'on',
    states: {
      on: {
        initial: 'washing',
        states: {
          washing: { on: { next: 'rinsing' } },
          rinsing: { on: { next: 'washing' } },
          back: { type: 'history' },
        },
        on: { power: 'off' },
      },
      off: { on: { power: 'on.back' } },
    },
  })
  const { begin, event } = play(wash)
  await begin()
  await event('next')
  t.match(await event('power'), { machine: { value: 'off' } })
  t.match(await event('power'), { machine: { value: { on: 'rinsing' } } })
  t.match(await begin(), { seen: 3, machine: { value: { on: 'rinsing' } } })
})

tap.test('a delayed transition is dropped when its state is left', async t => {
  const order = createMachine(
    {
      id: 'order',
      initial: 'open',
      states: {
        open: { on: { pay: 'paid' }, after: { week: 'expired' } },
        paid: { type: 'final' },
        expired: { type: 'final' },
      },
      output: ({ event }) => event.type,
    },
    { delays: { week: 7 * 86_400_000 } },
  )
  const paid = play(order)
  t.match(await paid.begin(), {
    moves: [
      { n: 1, do: 'sleep', until: 1000 + 7 * 86_400_000 },
      { n: 2, do: 'message' },
    ],
  })
  const turn = await paid.event('pay')
  t.match(turn, { moves: [{ do: 'drop', of: 1 }], machine: { value: 'paid' } })
  t.ok(turn.outcome)
  const expired = play(order)
  await expired.begin()
  t.match(await expired.elapse(), { machine: { value: 'expired' }, outcome: {} })
})

tap.test('a guarded machine chooses by its guards, and always-moves need no event', async t => {
  const judge = setup({ types: {} as { context: { score: number }; input: { text: string } } }).createMachine(
    {
      id: 'judge',
      initial: 'judging',
      context: ({ input }) => ({ score: Number(input.text) }),
      states: {
        judging: {
          always: [{ guard: ({ context }) => context.score > 90, target: 'great' }, { target: 'fine' }],
        },
        great: { type: 'final' },
        fine: { type: 'final' },
      },
      output: ({ context }) => ({ score: context.score }),
    },
  )
  const input = (text: string) => ({ input: { text, content: text, items: [] } })
  t.match(await play(judge).begin(input('95')), {
    machine: { value: 'great' },
    outcome: { answer: { score: 95 } },
  })
  t.match(await play(judge).begin(input('50')), { machine: { value: 'fine' } })
})

tap.test(
  'a nested machine: an event of the outer state leaves the inner one, and what it invokes is dropped',
  async t => {
    const shop = createMachine({
      id: 'shop',
      initial: 'buying',
      states: {
        buying: {
          initial: 'asking',
          on: { cancel: 'gone' },
          states: {
            asking: {
              invoke: { src: 'ask:approve', input: { order: 5 }, onDone: 'charging' },
            },
            charging: { invoke: { src: 'run:charge', input: { amount: 9 }, onDone: '#shop.bought' } },
          },
        },
        bought: { type: 'final' },
        gone: { type: 'final' },
      },
      output: () => 'over',
    })
    const charged: unknown[] = []
    const run = { charge: (input: never) => charged.push(input) }
    const cancels = play(shop, run)
    t.match(await cancels.begin(), {
      moves: [
        { n: 1, do: 'ask', name: 'approve', arguments: { order: 5 } },
        { n: 2, do: 'message' },
      ],
    })
    t.match(await cancels.event('cancel'), { moves: [{ do: 'drop', of: 1 }], outcome: { answer: 'over' } })

    const buys = play(shop, run)
    await buys.begin()
    t.match(await buys.give(1, { value: { text: 'yes' } }), {
      moves: [{ n: 3, do: 'run', name: 'charge' }],
      machine: { value: { buying: 'charging' } },
    })
    t.match(await buys.run(3), { moves: [{ do: 'ran', of: 3, value: 1 }] })
    t.match(await buys.give(3, { value: 1 }), { machine: { value: 'bought' }, outcome: { answer: 'over' } })
    t.same(charged, [{ amount: 9 }])
  },
)

tap.test('an actor of fromPromise counts as a run with its name', async t => {
  const chart = setup({
    actors: {
      loadUser: fromPromise(async ({ input }: { input: { id: number } }) => ({ id: input.id, name: 'Ada' })),
    },
  }).createMachine({
    id: 'loads',
    initial: 'loading',
    context: { user: null as unknown },
    states: {
      loading: {
        invoke: {
          src: 'loadUser',
          input: { id: 3 },
          onDone: { target: 'done', actions: assign({ user: ({ event }) => event.output }) },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.user,
  })
  const { begin, run, give } = play(chart)
  t.match(await begin(), { moves: [{ n: 1, do: 'run', name: 'loadUser' }] })
  t.match(await run(1), { moves: [{ do: 'ran', of: 1, value: { id: 3, name: 'Ada' } }] })
  t.match(await give(1, { value: { id: 3, name: 'Ada' } }), { outcome: { answer: { id: 3, name: 'Ada' } } })
})

tap.test('an invoked agent, and events that the machine raises and sends to itself', async t => {
  const chart = createMachine({
    id: 'asks',
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          src: 'agent:researcher',
          input: { input: 'Find it.', config: { depth: 1 } },
          onDone: 'found',
        },
      },
      found: { entry: [raise({ type: 'go' }), emit({ type: 'noted' })], on: { go: 'sending' } },
      sending: { entry: sendTo(({ self }) => self, { type: 'back' }, { delay: 10 }), on: { back: 'done' } },
      done: { type: 'final' },
    },
    output: () => 'done',
  })
  const { begin, give, elapse } = play(chart)
  t.match(await begin(), {
    moves: [{ do: 'agent', name: 'researcher', input: 'Find it.', config: { depth: 1 } }],
  })
  t.match(await give(1, { value: { text: 'there', task: 'x' } }), {
    moves: [{ do: 'sleep' }, { do: 'message' }],
  })
  t.match(await elapse(), { outcome: { answer: 'done' } })
})

tap.test('a machine whose host ends before each result comes to the same end', async t => {
  const trip = createMachine({
    types: {} as { context: { flights: number; paid: unknown } },
    id: 'trip',
    initial: 'booking',
    context: { flights: 0, paid: null },
    states: {
      booking: {
        type: 'parallel',
        states: {
          flight: {
            initial: 'searching',
            states: {
              searching: {
                invoke: {
                  src: 'tool:search',
                  input: ({ context }) => ({ tried: context.flights }),
                  onDone: 'found',
                  onError: {
                    target: 'waiting',
                    actions: assign({ flights: ({ context }) => context.flights + 1 }),
                  },
                },
              },
              waiting: { after: { 100: 'searching' } },
              found: { type: 'final' },
            },
          },
          hotel: {
            initial: 'asking',
            states: { asking: { on: { chosen: 'done' } }, done: { type: 'final' } },
          },
        },
        onDone: 'paying',
        after: { 10000: 'late' },
      },
      paying: {
        invoke: {
          src: 'run:pay',
          onDone: { target: 'over', actions: assign({ paid: ({ event }) => event.output }) },
        },
      },
      late: { type: 'final' },
      over: { type: 'final' },
    },
    output: ({ context }) => context,
  })
  const values: Told[] = []
  for (const restarts of [false, true]) {
    const { begin, give, event, elapse, run, last } = play(trip, { pay: () => 'paid' })
    const turns = [await begin()]
    const again = async () => {
      if (!restarts) return
      const turn = await begin()
      const asked = turn.moves.filter(({ n }: Told) => n !== undefined)
      t.same(asked, [], 'nothing is asked twice')
      t.same(turn.machine, turns.at(-1).machine)
    }
    const steps = [
      () => give(last('tool'), { error: { kind: 'tool', message: 'full' } }),
      () => event('chosen'),
      () => elapse(),
      () => give(last('tool'), { value: { text: 'LX 1' } }),
    ]
    for (const step of steps) {
      await again()
      turns.push(await step())
    }
    await again()
    t.match(await run(last('run')), { moves: [{ do: 'ran', value: 'paid' }] })
    turns.push(await give(last('run'), { value: 'paid' }))
    t.match(turns.at(-1).outcome, { answer: { flights: 1, paid: 'paid' } })
    values.push(turns.map(({ lease: _, ...turn }) => turn))
  }
  t.same(values[0], values[1])
})

tap.test('what cannot be stored is refused at load, by name', t => {
  const invoking = (src: string, logic?: unknown) =>
    createMachine(
      { id: 'bad', initial: 'a', states: { a: { invoke: { src } } } },
      { actors: { [src]: logic } as never },
    )
  const refuses = (chart: AnyStateMachine, reason: RegExp) =>
    t.throws(() => machineAgent(chart), { message: reason })
  refuses(
    invoking(
      'listen',
      fromCallback(() => {}),
    ),
    /bad cannot be an agent: it invokes “listen”, which is a callback/,
  )
  refuses(
    invoking(
      'watch',
      fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never),
    ),
    /“watch”/,
  )
  refuses(
    invoking(
      'fold',
      fromTransition(state => state, {}),
    ),
    /“fold”/,
  )
  refuses(invoking('child', toggle), /“child”, which is .* a machine of its own/)
  refuses(invoking('nothing'), /it invokes “nothing”, which is none of model, tool:<name>/)
  refuses(invoking('run:charge'), /run has no function charge/)
  refuses(
    createMachine({ id: 'bad', entry: spawnChild('worker' as never) }),
    /an action spawns an actor \(“worker”\): invoke it in a state/,
  )
  refuses(
    createMachine({ id: 'bad', initial: 'a', states: { a: { invoke: { src: fromCallback(() => {}) } } } }),
    /which is a callback/,
  )
  t.end()
})

tap.test('misuse while it runs is an error that says so', async t => {
  const spawns = createMachine({
    id: 'spawns',
    context: ({ spawn }) =>
      ({
        child: spawn(
          fromCallback(() => {}),
          { id: 'child' },
        ),
      }) as never,
  })
  t.match(await play(spawns).begin(), {
    outcome: { error: { message: /the machine spawns spawns “child”: invoke it in a state/ } },
  })
  const big = createMachine({ id: 'big', context: { text: 'x'.repeat(2 ** 20) } })
  t.match(await play(big).begin(), {
    outcome: { error: { message: /the context of the chart has \d+ bytes of JSON/ } },
  })
  const odd = createMachine({ id: 'odd', context: { when: new Map() } })
  t.match(await play(odd).begin(), {
    outcome: { error: { message: /the context of the chart must be JSON, but “when” is a Map/ } },
  })
  const unhandled = createMachine({
    id: 'fails',
    initial: 'a',
    states: { a: { invoke: { src: 'model', input: 'x' } } },
  })
  const { begin, give } = play(unhandled)
  await begin()
  t.match(await give(1, { error: { kind: 'model', message: 'no answer' } }), {
    outcome: { error: { name: 'ModelError', message: 'no answer' } },
  })
})

tap.test('the hello has the chart as plain data', t => {
  const { host } = hostHere({
    light,
    toggle,
    order: machineAgent(
      createMachine(
        {
          id: 'o.1',
          initial: 'a',
          states: { a: { on: { go: { target: 'b', guard: 'may' } } }, b: { type: 'final' } },
        },
        { guards: { may: () => true } },
      ),
    ),
  })
  const { agents } = JSON.parse(host.hello())
  t.match(agents[0], {
    name: 'light',
    kind: 'machine',
    machine: {
      id: 'light',
      initial: 'green',
      states: { green: { on: { 'after 3000': [{ target: '#light.yellow' }] } } },
    },
  })
  t.same(agents[2].machine, {
    id: 'o_1',
    initial: 'a',
    states: { a: { on: { go: [{ target: '#o_1.b', guard: 'may' }] } }, b: { type: 'final' } },
  })
  t.end()
})
