// A function of twenty `ctx.run` calls as the agent of a user: in a host of the server, and in a worker that has connected to it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { calls, twenty } from './baselines/twenty-steps.ts'
import { startDbos } from './support/dbos.ts'
import { newFolder } from './support/folder.ts'
import { type Caller, createCaller } from './support/one-by-one.ts'
import { cpuSecondsBelow, cpuSecondsOf, ownCpuSeconds } from './support/process-use.ts'
import { printProfile } from './support/profile.ts'
import { startRestate } from './support/restate.ts'
import { createNotes, interleave, printRatio } from './support/rounds.ts'
import { adminToken, type Server, startOurs } from './support/server.ts'

export const about =
  'a function of 20 ctx.run calls, hosted and in a worker, against steps of environments, the same in memory, DBOS and Restate'

const seconds = Number(process.env.SECONDS ?? 4)
const rounds = Number(process.env.ROUNDS ?? 5)
/** Tasks at once, and sessions at once. A host takes as many leases by default. */
const atOnce = 16
const agentFile = 'twenty.ts'
const walk = { map: '#####\n#@.G#\n#####', max_steps: 1_000_000 }

const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }

const startWorker = async (server: Server): Promise<ChildProcess> => {
  const made = await fetch(`${server.url}/v1/auth/tokens`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ role: 'worker' }),
  })
  const { token } = (await made.json()) as { token: string }
  const file = path.join(import.meta.dirname, 'baselines/agent-worker.ts')
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, REPRISE_URL: server.url, REPRISE_TOKEN: token, SLOTS: `${atOnce}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

/** Each caller sends its next request when it has the answer. Resolves to the number of answers in a second. */
const drive = async (send: (n: number) => Promise<void>): Promise<{ rate: number; count: number }> => {
  let count = 0
  const began = performance.now()
  const until = began + seconds * 1000
  await Promise.all(
    Array.from({ length: atOnce }, async (_, n) => {
      for (; performance.now() < until; count++) await send(n)
    }),
  )
  return { rate: (count * 1000) / (performance.now() - began), count }
}

const taskOf = (agent: string) => ({
  user_message_content: 'go',
  stream: false,
  agent_config: { agent_id: agent },
})
const runTask = async ({ url }: Server, agent: string): Promise<void> => {
  const body = JSON.stringify(taskOf(agent))
  const answer = await fetch(`${url}/v1/tasks`, { method: 'POST', headers, body })
  const { result } = (await answer.json()) as {
    result?: { output?: { message_content: { text: string }[] }[] }
  }
  if (result?.output?.at(-1)?.message_content?.[0]?.text !== `${calls}`)
    throw new Error(`the task has another end: ${JSON.stringify(result)}`)
}

/** CPU milliseconds of a task whose results are kept as JSON in memory. A step takes a turn of the event loop, as in a host. */
const plainMemory = async (): Promise<number> => {
  const tasks = 2000
  const before = ownCpuSeconds()
  for (let n = 0; n < tasks; n++) {
    const journal: string[] = []
    await twenty({
      async run(name, step) {
        journal.push(JSON.stringify({ n: journal.length + 1, name, value: await step() }))
        await new Promise(resolve => setImmediate(resolve))
        return JSON.parse(journal.at(-1) ?? '').value
      },
    })
  }
  return ((ownCpuSeconds() - before) * 1000) / tasks
}

export const run = async ([option]: string[]): Promise<void> => {
  const isProfiled = option === '--profile'
  const agents = newFolder('agents')
  const profiles = newFolder('profiles')
  mkdirSync(agents, { recursive: true })
  copyFileSync(path.join(import.meta.dirname, 'baselines/twenty-steps.ts'), path.join(agents, '_steps.ts'))
  writeFileSync(path.join(agents, agentFile), "import { twenty } from './_steps.ts'\nexport default twenty\n")
  const server = await startOurs(
    newFolder('data'),
    isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [],
    { AGENT_PATH: agents, ENV_UID_BASE: '0', QUOTA_TASKS: '0' },
  )
  const worker = isProfiled ? undefined : await startWorker(server)
  const dbos = isProfiled ? undefined : await startDbos(atOnce)
  const restate = isProfiled ? undefined : await startRestate()
  const callers = await Promise.all(Array.from({ length: atOnce }, () => createCaller(server.url)))
  const callerOf = (n: number): Caller => callers[n] as Caller
  const notes = createNotes()

  /** Runs tasks of one agent, and notes what a task costs each process. */
  const tasksOf = (agent: string) => async () => {
    const cpu = () => ({
      server: cpuSecondsOf(server.pid) ?? Number.NaN,
      hosts: cpuSecondsBelow(server.pid) - (cpuSecondsOf(server.pid) ?? Number.NaN),
      worker: cpuSecondsOf(worker?.pid ?? 0) ?? 0,
    })
    const before = cpu()
    const { rate, count } = await drive(() => runTask(server, agent))
    const after = cpu()
    const each = (key: 'server' | 'hosts' | 'worker') => ((after[key] - before[key]) * 1000) / count
    const code = agent === 'away' ? each('worker') : each('hosts')
    notes.add(`${agent}: CPU of the server, ms/task`, each('server'))
    notes.add(`${agent}: of the process with the code`, code)
    costs[agent]?.push(each('server') + code)
    return rate
  }
  const costs: Record<string, number[]> = { twenty: [], away: [], dbos: [], restate: [] }
  const workflows = async () => {
    if (dbos === undefined) return Number.NaN
    const before = dbos.cpu()
    const began = performance.now()
    const count = await dbos.run(seconds * 1000)
    costs.dbos?.push(((dbos.cpu() - before) * 1000) / count)
    return (count * 1000) / (performance.now() - began)
  }

  const invocations = async () => {
    if (restate === undefined) return Number.NaN
    const before = restate.cpu()
    const { rate, count } = await drive(async () => {
      const said = await restate.call()
      if (said !== `${calls}`) throw new Error(`Restate has another end: ${said}`)
    })
    costs.restate?.push(((restate.cpu() - before) * 1000) / count)
    return rate
  }

  if (isProfiled) {
    await tasksOf('twenty')()
    const { rate } = await drive(() => runTask(server, 'twenty'))
    for (const caller of callers) caller.close()
    await server.stop()
    console.log(`${Math.round(rate)} tasks a second while profiled; one profile for each busy thread`)
    for (const file of readdirSync(profiles)) printProfile(path.join(profiles, file))
    return
  }

  for (let n = 0; n < atOnce; n++)
    await callerOf(n).post('/v1/env/create', {
      ...{ session_id: `walk-${n}`, env_id: 'gridworld', env_init_kwargs: walk },
    })
  const taken = Array.from({ length: atOnce }, () => 0)
  const step = async (n: number) => {
    const tool_args = { direction: (taken[n] ?? 0) % 2 === 0 ? 'east' : 'west' }
    taken[n] = (taken[n] ?? 0) + 1
    await callerOf(n).post('/v1/env/step', { session_id: `walk-${n}`, tool_name: 'move', tool_args })
  }
  const measured = await interleave(
    {
      memory: plainMemory,
      steps: async () => {
        const before = cpuSecondsBelow(server.pid)
        const { rate, count } = await drive(step)
        notes.add('CPU of a step of gridworld, ms', ((cpuSecondsBelow(server.pid) - before) * 1000) / count)
        return rate
      },
      hosted: tasksOf('twenty'),
      away: tasksOf('away'),
      dbos: workflows,
      restate: invocations,
    },
    { rounds },
  )
  const stepsOf = (rates: number[]) => rates.map(rate => rate * calls)
  const last = (all: number[] = []) => all.slice(-rounds)
  printRatio('steps of hosted tasks, against steps of gridworld', stepsOf(measured.hosted), measured.steps, {
    ...{ unit: 'steps/s', target: { atLeast: 0.8 } },
  })
  printRatio('tasks in a worker over loopback, against hosted tasks', measured.away, measured.hosted, {
    ...{ unit: 'tasks/s', target: { atLeast: 0.7 } },
  })
  printRatio(
    'CPU of a hosted task, against the same code without a log',
    last(costs.twenty),
    measured.memory,
    {
      ...{ unit: 'ms/task', target: { atMost: 5 } },
    },
  )
  if (dbos === undefined) console.log('\nDBOS was not measured: there is no PostgreSQL on this machine')
  else {
    printRatio('hosted tasks, against workflows of DBOS', measured.hosted, measured.dbos, {
      ...{ unit: 'tasks/s', target: { atLeast: 3 } },
    })
    printRatio('CPU of a workflow of DBOS, against a hosted task', last(costs.dbos), last(costs.twenty), {
      ...{ unit: 'ms/task', target: { atLeast: 3 } },
    })
  }
  if (restate === undefined) console.log('\nRestate was not measured: npm has no server for this machine')
  else {
    printRatio('hosted tasks, against invocations of Restate', measured.hosted, measured.restate, {
      ...{ unit: 'tasks/s', target: { atLeast: 3 } },
    })
    printRatio(
      'CPU of an invocation of Restate, against a hosted task',
      last(costs.restate),
      last(costs.twenty),
      {
        ...{ unit: 'ms/task' },
      },
    )
  }
  notes.print()
  dbos?.stop()
  restate?.stop()
  for (const caller of callers) caller.close()
  worker?.kill('SIGKILL')
  await server.stop()
}
