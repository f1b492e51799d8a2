// The life of a task whose agent is code of a user.
import t from 'tap'
import type { Context } from '../../../library/agent/types.ts'
import { givenJob } from '../../cron/jobs.ts'
import { admin, givenSystem, quiet, restarted, rowsOf, storeOf } from '../../support/system.ts'
import { hostsHere } from './hosts-here.ts'

const withAgent = async (
  fn: (ctx: Context) => Promise<unknown>,
  more: Parameters<typeof givenSystem>[0] = {},
) => {
  const hosts = hostsHere({ mine: fn })
  const system = await givenSystem({ codeAgents: hosts.served, ...more })
  const create = (given = {}) => system.create({ agent_config: { agent_id: 'mine' }, ...given })
  return { hosts, system, create }
}

const messages = (task: { output: { type: string; message_content?: { text: string }[] }[] }) =>
  task.output.flatMap(item =>
    item.type === 'message' ? [item.message_content?.map(({ text }) => text).join('')] : [],
  )

t.test('a function answers with what it returns', async t => {
  const { system, create } = await withAgent(async ctx => `You said ${ctx.input.text}.`)
  const id = await create({ user_message_content: 'hello' })
  await quiet(system)
  const task = system.get(id)
  t.match(task, { status: 'completed', metadata: { agent: 'mine', agent_version: '1' } })
  t.same(messages(task), ['You said hello.'])
  t.same(await system.factsOf(id), [
    'TaskCreated',
    'AgentSpawned',
    'TaskStarted',
    'ItemSaid',
    'AgentStepCompleted',
    'AgentCompleted',
    'TaskCompleted',
  ])
})

t.test('a tool gives its text, and its failure is an error of the code', async t => {
  const { system, create } = await withAgent(
    async ctx => {
      const sum = await ctx.tool('add', { a: 1 })
      const failed = await ctx.tool('nothing', {}).catch(error => error.message)
      return { sum, failed }
    },
    { tools: [addTool] },
  )
  const id = await create()
  await quiet(system)
  const task = system.get(id)
  t.equal(task.status, 'completed')
  t.match(JSON.parse(messages(task).at(-1) ?? ''), { sum: '2', failed: /there is no tool/ })
  t.same(
    task.output.map((item: { type: string }) => item.type),
    ['tool_call', 'tool_result', 'tool_call', 'tool_result', 'message'],
  )
})

let letGo = () => {}
const slowTool = {
  definition: {
    type: 'function' as const,
    function: { name: 'slow', description: '', parameters: {}, strict: false },
  },
  isSafe: () => false,
  run: () =>
    new Promise<{ content: string }>(resolve => {
      letGo = () => resolve({ content: 'slow' })
    }),
}

const addTool = {
  definition: {
    type: 'function' as const,
    function: { name: 'add', description: '', parameters: {}, strict: false },
  },
  isSafe: () => false,
  run: async ({ arguments: { a } }: { arguments: Record<string, unknown> }) => ({
    content: String(Number(a) + 1),
  }),
}

t.test('a question makes the task wait for its client, and the answer wakes the code', async t => {
  const { system, create } = await withAgent(
    async ctx => `The colour is ${await ctx.ask('colour', { of: 'sky' })}.`,
  )
  const id = await create()
  await quiet(system)
  const waiting = system.get(id)
  t.match(waiting, {
    status: 'input-required',
    input_required: { name: 'colour', arguments: '{"of":"sky"}' },
  })
  const answers = [{ callId: waiting.input_required.call_id, itemId: 'tr_1', content: 'blue', blocks: [] }]
  await system.commands.input(admin, id, 'r', answers)
  await quiet(system)
  t.same(messages(system.get(id)), ['The colour is blue.'])
})

t.test('a sleep lasts as long as it should, and the task shows until when', async t => {
  const { system, create } = await withAgent(async ctx => {
    await ctx.sleep(60_000)
    return 'awake'
  })
  const id = await create()
  await quiet(system)
  const asleep = system.get(id)
  t.equal(asleep.status, 'working')
  t.ok(asleep.metadata.sleeping_until > 0)
  await system.world.advance(59_000)
  await quiet(system)
  t.equal(system.get(id).status, 'working')
  await system.world.advance(2_000)
  await quiet(system)
  t.same(messages(system.get(id)), ['awake'])
})

t.test(
  'a safe side effect that is done at once, and a call that is dropped at once, have their results',
  async t => {
    const { system, create } = await withAgent(async ctx => {
      const read = await ctx.run('read', () => 7, { safe: true })
      const given = new AbortController()
      const sleeping = ctx.sleep(3_600_000, { signal: given.signal }).catch(({ kind }) => kind)
      const asking = ctx.ask('colour', {}, { signal: given.signal }).catch(({ kind }) => kind)
      given.abort()
      return { read, dropped: await Promise.all([sleeping, asking]) }
    })
    const id = await create()
    await quiet(system)
    t.equal(system.get(id).status, 'completed')
    t.same(JSON.parse(messages(system.get(id)).at(-1) ?? ''), { read: 7, dropped: ['dropped', 'dropped'] })
  },
)

t.test(
  'a side effect in whose middle the host ends is unknown, and runs again when somebody resumes the task',
  async t => {
    let runs = 0
    const { hosts, system, create } = await withAgent(async ctx =>
      ctx.run('charge', () => (++runs === 1 ? new Promise(() => {}) : runs)),
    )
    const id = await create()
    await quiet(system)
    t.equal(runs, 1)
    hosts.kill()
    await quiet(system)
    t.match(system.get(id), { status: 'paused', metadata: { reason: 'outcome_unknown' } })
    t.equal(runs, 1)
    await system.commands.resume(admin, id, 'r')
    await quiet(system)
    t.equal(runs, 2)
    t.same(messages(system.get(id)), ['2'])
  },
)

t.test('a side effect runs once, also when the host ends after it', async t => {
  let runs = 0
  const { hosts, system, create } = await withAgent(async ctx => {
    const charged = await ctx.run('charge', async () => ++runs)
    await ctx.ask('continue')
    return { charged }
  })
  const id = await create()
  await quiet(system)
  hosts.kill()
  await quiet(system)
  const { call_id: callId } = system.get(id).input_required
  await system.commands.input(admin, id, 'r', [{ callId, itemId: 'tr_1', content: 'yes', blocks: [] }])
  await quiet(system)
  t.equal(runs, 1)
  t.same(messages(system.get(id)), ['{"charged":1}'])
})

t.test('an outcome is stored with what follows from it, and the code sees its time again', async t => {
  const times: number[] = []
  const { hosts, system, create } = await withAgent(async ctx => {
    for (let n = 0; n < 5; n++) {
      await ctx.run('step', () => system.world.advance(10))
      times.push(ctx.now())
    }
    return ctx.ask('continue')
  })
  let commits = 0
  system.log.onCommit(() => void commits++)
  const id = await create()
  while (times.length < 5) await quiet(system)
  await quiet(system)
  t.equal(commits, 7, 'the task, the first step, four steps with the outcome before them, and the question')
  t.equal(new Set(times).size, 5)
  hosts.kill()
  const { call_id: callId } = system.get(id).input_required
  await system.commands.input(admin, id, 'r', [{ callId, itemId: 'tr_1', content: 'yes', blocks: [] }])
  await quiet(system)
  t.equal(system.get(id).status, 'completed')
  t.same(times.slice(5), times.slice(0, 5))
})

t.test('what comes between an outcome and what follows from it is stored after the outcome', async t => {
  const task = { id: '', isPaused: false }
  const { system, create } = await withAgent(async ctx => {
    const charged = await ctx.run('charge', () => 'charged')
    if (!task.isPaused) void system.commands.pause(admin, task.id, 'r')
    task.isPaused = true
    return `${charged} ${await ctx.run('ship', () => 'shipped')}`
  })
  task.id = await create()
  await quiet(system)
  t.equal(system.get(task.id).status, 'paused')
  t.same((await system.factsOf(task.id)).slice(-2), ['EffectCompleted', 'TaskPaused'])
  await system.commands.resume(admin, task.id, 'r')
  await quiet(system)
  t.same(messages(system.get(task.id)), ['charged shipped'])
})

t.test(
  'an outcome that arrives while a message is being stored comes after the message, also when the code runs again',
  async t => {
    const orders: string[][] = []
    let charge: (() => void) | undefined
    const charged = new Promise<void>(resolve => {
      charge = resolve
    })
    const { hosts, system, create } = await withAgent(async ctx => {
      const order: string[] = []
      orders.push(order)
      await Promise.all([
        ctx.message().then(({ text }) => order.push(text)),
        ctx.run('charge', () => charged).then(() => order.push('charged')),
      ])
      return ctx.ask(order.join(' and '))
    })
    const id = await create()
    await quiet(system)
    const { append } = system.log
    system.log.append = async (...given) => {
      system.log.append = append
      charge?.() // the message is decided, and its commit takes longer than the outcome needs
      const stored = await append(...given)
      await new Promise(resolve => setTimeout(resolve, 20))
      return stored
    }
    await system.commands.message(admin, id, 'r', 'hello', { key: undefined, isRetry: false })
    await quiet(system)
    t.match(system.get(id), { status: 'input-required', input_required: { name: 'hello and charged' } })
    hosts.kill()
    const { call_id: callId } = system.get(id).input_required
    await system.commands.input(admin, id, 'r', [{ callId, itemId: 'tr_1', content: 'yes', blocks: [] }])
    await quiet(system)
    t.equal(system.get(id).status, 'completed')
    t.same(orders, [
      ['hello', 'charged'],
      ['hello', 'charged'],
    ])
  },
)

t.test('an outcome after which the code computes for long is stored alone', async t => {
  const { hosts, system, create } = await withAgent(ctx => ctx.run('charge', () => 1))
  hosts.goAfter('ran', true)
  const id = await create()
  await quiet(system)
  t.not((await system.factsOf(id)).at(-1), 'EffectCompleted')
  await system.world.advance(20)
  t.equal((await system.factsOf(id)).at(-1), 'EffectCompleted')
})

t.test('the outcome of a safe side effect may come with the side effect', async t => {
  const { system, create } = await withAgent(async ctx => {
    const one = await ctx.run('read', () => 1, { safe: true })
    const other = await Promise.race([ctx.run('read', () => 2, { safe: true }), ctx.sleep(60_000)])
    return [one, other]
  })
  const id = await create()
  await quiet(system)
  t.same(messages(system.get(id)), ['[1,2]'])
})

t.test('a race ends at the first result, and what is left is stopped', async t => {
  const { system, create } = await withAgent(async ctx =>
    Promise.race([ctx.ask('slow').then(() => 'asked'), ctx.sleep(1000).then(() => 'slept')]),
  )
  const id = await create()
  await quiet(system)
  t.equal(system.get(id).status, 'input-required')
  await system.world.advance(1500)
  await quiet(system)
  t.match(system.get(id), { status: 'completed' })
  t.same(messages(system.get(id)), ['slept'])
})

t.test('a message of the user reaches code that waits for it', async t => {
  const { system, create } = await withAgent(async ctx => `Heard: ${(await ctx.message()).text}`)
  const id = await create()
  await quiet(system)
  await system.commands.message(admin, id, 'r', 'good morning', { key: undefined, isRetry: false })
  await quiet(system)
  t.same(messages(system.get(id)), ['Heard: good morning'])
})

t.test('an error of the code fails the task', async t => {
  const { system, create } = await withAgent(async () => {
    throw new TypeError('no such order')
  })
  const id = await create()
  await quiet(system)
  t.match(system.get(id), { status: 'failed', error: { code: -32000, message: 'no such order' } })
})

t.test('a task asleep goes on after restarts, and is not loaded before its time', async t => {
  let runs = 0
  const hosts = hostsHere({
    mine: async (ctx: Context) => {
      runs++
      await ctx.sleep(300_000)
      return 'later'
    },
  })
  let system = await givenSystem({ codeAgents: hosts.served })
  const id = await system.create({ agent_config: { agent_id: 'mine' } })
  await quiet(system)
  for (let n = 0; n < 3; n++) {
    system = await restarted(system)
    await quiet(system)
    await system.world.advance(60_000)
    await quiet(system)
  }
  t.equal(runs, 1)
  t.equal(system.get(id).status, 'working')
  await system.world.advance(150_000)
  await quiet(system)
  t.same(messages(system.get(id)), ['later'])
  t.equal(runs, 2)
})

t.test('a task waits in line until a host has its agent, and says so', async t => {
  const { hosts, system, create } = await withAgent(async () => 'here')
  hosts.go()
  const id = await create()
  const second = await create({ session_id: system.get(id).session_id })
  await quiet(system)
  t.match(system.get(id), { status: 'queued', metadata: { waiting_for: 'worker' } })
  hosts.come()
  await quiet(system)
  t.match(system.get(id), { status: 'completed', metadata: { agent_version: '1', waiting_for: undefined } })
  t.equal(system.get(second).status, 'completed')
})

t.test('a task that waits in line says whether a host has its agent, when hosts come and go', async t => {
  const { hosts, system, create } = await withAgent(async () => 'here', { maxRunningTasks: 1 })
  const says = async () => {
    await system.world.advance(1500)
    await quiet(system)
    const { status, metadata } = system.get(id)
    return [status, metadata.waiting_for]
  }
  const working = await system.play([{ sleep_ms: 3_600_000 }])
  hosts.go()
  const id = await create()
  t.same(await says(), ['queued', 'worker'])
  hosts.come()
  t.same(await says(), ['queued', undefined])
  hosts.go()
  t.same(await says(), ['queued', 'worker'])
  await system.commands.cancel(admin, working, 'r')
  t.same(await says(), ['queued', 'worker'], 'a free place is not for it')
  hosts.come()
  t.same(await says(), ['completed', undefined])
  t.equal((await system.factsOf(id)).filter((type: string) => type === 'WorkerAwaited').length, 2)
})

t.test('a task that begins in a worker of its user stays with these workers', async t => {
  const { hosts, system, create } = await withAgent(async ctx => ctx.sleep(1000))
  const { find, lease } = hosts.served
  const asked: boolean[] = []
  let isOwn = true
  hosts.served.find = (...given) => {
    const found = find(...given)
    return found && { ...found, ...(isOwn ? { isOwn } : {}) }
  }
  hosts.served.lease = (request, listener) => {
    asked.push(request.isOwn)
    return lease(request, listener)
  }
  await create()
  await quiet(system)
  isOwn = false
  await create()
  await quiet(system)
  hosts.kill()
  await system.world.advance(1500)
  await quiet(system)
  t.same(asked, [true, false, true, false])
})

t.test('a task in the middle waits for a host, and says so until one comes', async t => {
  const { hosts, system, create } = await withAgent(async ctx => ctx.ask('colour'))
  const id = await create()
  await quiet(system)
  hosts.go()
  const { call_id: callId } = system.get(id).input_required
  await system.commands.input(admin, id, 'r', [{ callId, itemId: 'tr_1', content: 'blue', blocks: [] }])
  await quiet(system)
  await system.world.advance(1500)
  await quiet(system)
  t.match(system.get(id), { status: 'working', metadata: { waiting_for: 'worker' } })
  hosts.come()
  await quiet(system)
  t.match(system.get(id), { status: 'completed', metadata: { waiting_for: undefined } })
})

t.test('a task whose agent sleeps takes no place of other sessions', async t => {
  const { system, create } = await withAgent(async ctx => ctx.sleep(3_600_000), { maxRunningTasks: 1 })
  const id = await create()
  await quiet(system)
  const other = await system.create({ agent_config: { agent_id: 'echo' } })
  await quiet(system)
  t.equal(system.get(id).status, 'working')
  t.equal(system.get(other).status, 'completed')
})

t.test('a subagent cannot ask the client', async t => {
  const hosts = hostsHere({
    outer: async (ctx: Context) => ctx.agent('inner', 'work'),
    inner: async (ctx: Context) => ctx.ask('colour').catch((error: Error) => error.message),
  })
  const system = await givenSystem({ codeAgents: hosts.served })
  const id = await system.create({ agent_config: { agent_id: 'outer' } })
  await quiet(system)
  t.match(messages(system.get(id)), [/a subagent cannot ask the client/])
})

t.test('a cancel stops the code, its calls and its timers', async t => {
  const { hosts, system, create } = await withAgent(async ctx => {
    await Promise.all([ctx.sleep(60_000), ctx.run('slow', () => new Promise(() => {})), ctx.ask('colour')])
  })
  const id = await create()
  await quiet(system)
  const canceled = system.commands.cancel(admin, id, 'r')
  await system.world.advance(2000)
  await canceled
  t.equal(system.get(id).status, 'canceled')
  t.match(hosts.told.at(-1), { from: 'server', message: { type: 'stop', reason: 'canceled' } })
  const receipts = (await system.stored()).filter(({ header }) => header.type === 'EffectStopped')
  t.same(receipts.map(({ data }) => (data as { stopped: boolean }).stopped).sort(), [false, true])
})

t.test('a pause waits for what runs, not for timers, and the code goes on after it', async t => {
  const { system, create } = await withAgent(async ctx => {
    await ctx.sleep(5000)
    return 'done'
  })
  const id = await create()
  await quiet(system)
  await system.commands.pause(admin, id, 'r')
  await quiet(system)
  t.equal(system.get(id).status, 'paused')
  await system.world.advance(10_000)
  await quiet(system)
  t.equal(system.get(id).status, 'paused', 'a timer that ends meanwhile does not wake it')
  await system.commands.resume(admin, id, 'r')
  await quiet(system)
  await system.world.advance(100)
  await quiet(system)
  t.same(messages(system.get(id)), ['done'])
})

t.test('a cron job begins a task of code', async t => {
  const { system } = await withAgent(async ctx => `You said ${ctx.input.text}.`)
  const task = { user_message_content: 'good morning', agent_config: { agent_id: 'mine' } }
  await givenJob(system, { every_seconds: 3600, task: task as never })
  await system.world.advance(3_700_000)
  await quiet(system)
  const begun = (await system.stored()).find(({ header }) => header.type === 'TaskCreated')
  const { task_id = '' } = (begun?.data ?? {}) as { task_id?: string }
  t.match(system.get(task_id), { status: 'completed', metadata: { agent: 'mine', agent_version: '1' } })
  t.same(messages(system.get(task_id)), ['You said good morning.'])
})

t.test('the code gets the span of its task, so that its own spans hang below', async t => {
  const { system, create } = await withAgent(async ctx => ctx.traceparent)
  const id = await create()
  await quiet(system)
  t.match(messages(system.get(id)), [/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/])
})

t.test('two calls that time out at the same moment both do, though one ends before', async t => {
  const { system, create } = await withAgent(async ctx => {
    const late = (name: string) =>
      ctx.ask(name, {}, { timeout: 2000 }).catch((error: { kind: string }) => error.kind)
    return Promise.all([late('one'), late('two')])
  })
  const id = await create()
  await quiet(system)
  const { call_id: callId } = system.get(id).input_required
  await system.commands.input(admin, id, 'r', [{ callId, itemId: 'tr_1', content: 'in time', blocks: [] }])
  await quiet(system)
  await system.world.advance(2500)
  await quiet(system)
  t.same(messages(system.get(id)), ['["in time","timeout"]'])
})

t.test('a message wakes code that waits for it beside a question', async t => {
  const { system, create } = await withAgent(async ctx =>
    Promise.race([ctx.ask('colour'), ctx.message().then(({ text }) => text)]),
  )
  const id = await create()
  await quiet(system)
  t.equal(system.get(id).status, 'input-required')
  await system.commands.message(admin, id, 'r', 'never mind', { key: undefined, isRetry: false })
  await quiet(system)
  t.same(messages(system.get(id)), ['never mind'])
})

t.test('a result that came before a pause reaches the code after it, though a question is open', async t => {
  const { system, create } = await withAgent(
    async ctx => Promise.race([ctx.ask('colour'), ctx.tool('slow').then(() => 'the tool was first')]),
    { tools: [slowTool] },
  )
  const id = await create()
  await quiet(system)
  await system.commands.pause(admin, id, 'r')
  letGo()
  await quiet(system)
  t.equal(system.get(id).status, 'paused')
  await system.commands.resume(admin, id, 'r')
  await quiet(system)
  t.same(messages(system.get(id)), ['the tool was first'])
})

t.test(
  'code that goes on after something else than ctx has its turn stored, though its task waits',
  async t => {
    const { system, create } = await withAgent(async ctx => {
      const asked = ctx.ask('colour')
      await new Promise(resolve => setTimeout(resolve, 20))
      ctx.say('still here')
      return asked
    })
    const id = await create()
    await new Promise(resolve => setTimeout(resolve, 100))
    await quiet(system)
    const waiting = system.get(id)
    t.equal(waiting.status, 'input-required')
    t.same(messages(waiting), ['still here'])
  },
)

t.test('a subagent gets no server and no tools that its caller does not have', async t => {
  const hosts = hostsHere({
    outer: async (ctx: Context) => {
      const asked = (config: object) =>
        ctx.agent('inner', 'work', config as never).catch((error: Error) => error.message)
      return [
        await asked({ tool_mcp_config: { github: { url: 'https://example.com' } } }),
        await asked({ approve: [5] }),
        await asked({ developer_prompt: 'be kind' }),
      ]
    },
    inner: async () => 'done',
  })
  const system = await givenSystem({ codeAgents: hosts.served })
  const id = await system.create({ agent_config: { agent_id: 'outer' } })
  await quiet(system)
  t.match(JSON.parse(messages(system.get(id)).at(-1) ?? ''), [
    /cannot set tool_mcp_config/,
    /does not fit agent_config/,
    'done',
  ])
})

t.test('what a host has reported before it goes is stored', async t => {
  let runs = 0
  const { hosts, system, create } = await withAgent(async ctx => {
    const n = await ctx.run('charge', () => ++runs)
    return `charged ${n}`
  })
  hosts.goAfter('ran')
  const id = await create()
  await quiet(system)
  hosts.come()
  await quiet(system)
  t.equal(runs, 1)
  t.same(messages(system.get(id)), ['charged 1'])
})

/** Code that stops its subagent after a second, or in the turn in which it has asked for it. */
const stopping = async (ctx: Context) => {
  const given = new AbortController()
  const call = ctx.agent('other', 'work', {}, { signal: given.signal }).catch(({ kind }) => kind)
  if (ctx.input.text !== 'at once') await ctx.sleep(1000)
  given.abort()
  const kind = await call
  await ctx.sleep(1000)
  return kind
}
const working = async (ctx: Context) => {
  await ctx.sleep(3_600_000)
  return 'done'
}
const childOf = (facts: { stream: string; header: string }[], id: string) =>
  facts.map(({ stream }) => stream).find(stream => stream.startsWith('task-') && stream !== `task-${id}`)

t.test(
  'a subagent whose call is dropped is canceled, once, also when a crash comes before the cancel',
  async t => {
    const hosts = hostsHere({ mine: stopping, other: working })
    const system = await givenSystem({ codeAgents: hosts.served })
    const id = await system.create({ agent_config: { agent_id: 'mine' } })
    await quiet(system)
    const child = childOf(rowsOf(system.store), id)?.slice('task-'.length) ?? ''
    t.equal(system.get(child).status, 'working')
    await system.world.advance(1500)
    await quiet(system)
    t.equal(system.get(child).status, 'canceled')
    t.equal(system.get(id).status, 'working')
    const rows = rowsOf(system.store)
    const typeOf = ({ header }: { header: string }) => JSON.parse(header).type
    const at = rows.findIndex(row => row.stream === `task-${child}` && typeOf(row) === 'CancelRequested')
    t.ok(at > 0)
    const again = await givenSystem({
      ...system.options,
      codeAgents: hostsHere({ mine: stopping, other: working }).served,
      store: await storeOf(rows.slice(0, at)),
    })
    await system.close()
    await quiet(again)
    t.equal(again.get(child).status, 'canceled')
    await again.world.advance(2000)
    await quiet(again)
    t.same(messages(again.get(id)), ['dropped'])
    const third = await restarted(again)
    await quiet(third)
    const facts = await third.factsOf(child)
    t.equal(facts.filter((type: string) => type === 'CancelRequested').length, 1)
  },
)

t.test('a subagent that the code asks for and drops in one turn is not made', async t => {
  const hosts = hostsHere({ mine: stopping, other: working })
  const system = await givenSystem({ codeAgents: hosts.served })
  const id = await system.create({ agent_config: { agent_id: 'mine' }, user_message_content: 'at once' })
  await quiet(system)
  await system.world.advance(2000)
  await quiet(system)
  t.same(messages(system.get(id)), ['dropped'])
  t.equal(childOf(rowsOf(system.store), id), undefined)
})

t.test('a tool whose call has timed out is stopped', async t => {
  let isStopped = false
  const endless = {
    ...slowTool,
    run: ({ signal }: { signal: AbortSignal }) =>
      new Promise<{ content: string }>(() => {
        signal.addEventListener('abort', () => {
          isStopped = true
        })
      }),
  }
  const { system, create } = await withAgent(
    async ctx => ctx.tool('slow', {}, { timeout: 1000 }).catch(({ kind }) => kind),
    { tools: [endless as never] },
  )
  const id = await create()
  await quiet(system)
  await system.world.advance(1500)
  await quiet(system)
  t.same(messages(system.get(id)), ['timeout'])
  t.equal(isStopped, true)
})

t.test('a task whose workers are lost before they answer is not tried for ever', async t => {
  const { hosts, system, create } = await withAgent(async () => new Promise(() => {}))
  let leases = 0
  hosts.served.lease = (_, listener) => {
    leases++
    setImmediate(() => {
      listener.begin()
      listener.over({ why: 'lost', message: 'the connection to the worker was lost', unheard: 'alone' })
    })
    return { results() {}, run() {}, rests() {}, stop() {} }
  }
  const id = await create()
  for (let n = 0; n < 20; n++) await quiet(system)
  t.match(system.get(id), { status: 'failed', error: { code: -32041, message: /lost \(10 times in a row/ } })
  t.equal(leases, 10)
})

t.test('a host that dies four times, or floods three times, without any progress fails the task', async t => {
  for (const [why, tries, says] of [
    ['died', 4, /stood still .*tried 4 times/],
    ['flooded', 3, /stood still .*happened 3 times/],
  ] as const) {
    const { hosts, system, create } = await withAgent(async () => 'never')
    let leases = 0
    hosts.served.lease = (_, listener) => {
      leases++
      setImmediate(() => {
        listener.begin()
        listener.over({ why, message: 'the host stood still' })
      })
      return { results() {}, run() {}, rests() {}, stop() {} }
    }
    const id = await create()
    for (let n = 0; n < 10; n++) await quiet(system)
    t.match(system.get(id), { status: 'failed', error: { code: -32041, message: says } })
    t.equal(leases, tries)
  }
})

t.test('code that asks for something else when it runs again fails, and the error names both', async t => {
  let tool = 'add'
  const { hosts, system, create } = await withAgent(
    async ctx => {
      await ctx.tool(tool, { a: 1 })
      await ctx.sleep(1000)
      return 'done'
    },
    { tools: [addTool] },
  )
  const id = await create()
  await quiet(system)
  tool = 'subtract'
  hosts.kill()
  hosts.come()
  await system.world.advance(1500)
  await quiet(system)
  t.match(system.get(id), {
    status: 'failed',
    error: {
      code: -32040,
      message: /entry 1 of its journal is tool "add", and the code asks for tool "subtract"/,
      data: { name: 'AgentChanged', n: 1, was: { name: 'add' }, is: { name: 'subtract' } },
    },
  })
})

t.test('a task that is too large for any host fails at once', async t => {
  const { hosts, system, create } = await withAgent(async () => 'never')
  hosts.served.lease = (_, listener) => {
    setImmediate(() => {
      listener.begin()
      listener.over({ why: 'unfit', message: 'the input and the journal of the task have 150000000 bytes' })
    })
    return { results() {}, run() {}, rests() {}, stop() {} }
  }
  const id = await create()
  await quiet(system)
  t.match(system.get(id), { status: 'failed', error: { code: -32041, message: /150000000 bytes/ } })
})
