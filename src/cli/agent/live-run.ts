// Runs an agent once, undisturbed: in a server of its own with the fake model. Between the host and the server this process
// listens, and records what the code asks for and gets. Questions get a plausible answer.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAgentFolder, versionOfFile } from '../../agent-hosts/folder.ts'
import { commandOfAgent } from '../../agent-hosts/where.ts'
import { instanceOf } from '../../agents/instance.ts'
import { builtinNames } from '../../agents/names.ts'
import { type Config, readConfig } from '../../config.ts'
import { isTerminal, type Task } from '../../contract/wire.ts'
import { modelName } from '../../fake-model/player.ts'
import { startFakeModel } from '../../fake-model/server.ts'
import { startServer } from '../../start/server.ts'
import { connectToOwn } from '../server/connection.ts'
import { type Recorder, type Recording, recordTask } from './recording.ts'
import { HostFailed, type HostProcess, type Message, startHostProcess } from './tested-host.ts'

/** A task that has not come to its end after so many milliseconds is reported. */
const longestRunMs = 60_000
/** Milliseconds between two looks at the task. */
const lookMs = 50
/** At most so many messages are sent to a task that waits for one. */
const mostMessages = 10
/** The memory of a host, in MiB, as the server gives it without AGENT_MEMORY_MB. */
export const memoryMb = 512

/** The server of the check, and what removes it again. */
const openServer = async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-check-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', remove)
  const model = await startFakeModel()
  const config = readConfig({
    ...{ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', ADMIN_TOKEN: randomBytes(24).toString('hex') },
    ...{ MODEL_BASE_URL: `${model.url}/v1`, MODEL: modelName, DRAIN_SECONDS: '0', ENV_UID_BASE: '0' },
  })
  const server = await startServer(config, () => {})
  return {
    config,
    url: server.url,
    async close(): Promise<void> {
      await server.stop(0)
      await model.close()
      process.off('exit', remove)
      remove()
    },
  }
}
type OwnServer = Awaited<ReturnType<typeof openServer>>

/** What stands between the hosts and the server: it knows each task by its recorder. */
const createListener = () => {
  const tasks = new Map<string, Recorder>()
  const leases = new Map<string, Recorder>()
  return {
    of: (task: string): Recorder | undefined => tasks.get(task),
    toHost(message: Message): Message {
      if (message.type === 'begin') {
        const task = String(message.task)
        const recorder = tasks.get(task) ?? recordTask()
        tasks.set(task, recorder)
        leases.set(String(message.lease), recorder)
      }
      return leases.get(String(message.lease))?.toHost(message) ?? message
    },
    toServer: (message: Message): Message => leases.get(String(message.lease))?.toServer(message) ?? message,
  }
}
type Listener = ReturnType<typeof createListener>

type Door = { url: string; token: string; listener: Listener; wanted(agent: string): Promise<void> }

/** Connects a host to the server as a worker. Resolves when the server has accepted its agent. */
const connect = (host: HostProcess, hello: Message, { url, token, listener, wanted }: Door) =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/workers`)
    /** Messages keep their order, also when one of them waits. */
    let before = Promise.resolve()
    const forward = async (message: Message) => {
      for (const { do: what, name } of (message.moves ?? []) as { do: string; name?: string }[])
        if (what === 'agent' && name !== undefined) await wanted(name)
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(listener.toServer(message)))
    }
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ type: 'auth', token }))
      socket.send(JSON.stringify(hello))
      host.hear(message => {
        before = before.then(() => forward(message)).catch(reject)
      })
    })
    /** The parts of a long message that have come so far. */
    const parts: string[] = []
    const take = (message: Message) => {
      if (message.type === 'welcome') return resolve()
      if (message.type !== 'part') return host.send(listener.toHost(message))
      parts.push(String(message.text))
      if (message.last === true) take(JSON.parse(parts.splice(0).join('')))
    }
    socket.addEventListener('message', ({ data }) => take(JSON.parse(String(data))))
    socket.addEventListener('close', ({ reason }) => {
      reject(new HostFailed(reason || 'the server has closed the connection'))
      host.signal('SIGKILL')
    })
    void host.ended.then(() => socket.close())
  })

/** Starts hosts of the files of a folder, each when it is first wanted. */
const createHosts = (folder: string, door: Omit<Door, 'wanted'>) => {
  const started = new Map<string, Promise<HostProcess>>()
  const serve = async (name: string, file: string): Promise<HostProcess> => {
    const host = startHostProcess(commandOfAgent(file, memoryMb))
    const hello = await host.next()
    if (hello.type !== 'hello') throw new HostFailed(String(hello.message ?? 'the host did not say hello'))
    const agents = (hello.agents as { version?: string }[]).map(agent => ({
      ...{ version: versionOfFile(file), ...agent, name },
    }))
    await connect(host, { ...hello, name: 'check', agents }, { ...door, wanted })
    return host
  }
  const start = (name: string, file: string): Promise<HostProcess> => {
    const host = started.get(name) ?? serve(name, file)
    started.set(name, host)
    return host
  }
  /** An agent that the code calls may have a file of its own beside it. */
  const wanted = async (name: string): Promise<void> => {
    const found = readAgentFolder(folder, builtinNames).agents.find(agent => agent.name === name)
    if (found !== undefined) await start(name, found.file).catch(() => {}) // then there is no such agent
  }
  return {
    start,
    end: async (): Promise<void> => {
      for (const host of started.values()) await host.then(({ kill }) => kill()).catch(() => {})
    },
  }
}

type Waiting = { call_id: string; name: string; metadata?: { approval?: boolean } }
/** Gives a task what it waits for. Returns the function that looks at the task, and does so when it is needed. */
const createClient = (
  ask: (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>,
  answer: string,
) => {
  const answered = new Set<string>()
  const sent = new Set<number>()

  const answerCalls = async (task: Task, recorder: Recorder) => {
    const waiting = (task.metadata?.pending_inputs ?? []) as Waiting[]
    const fresh = waiting.filter(({ call_id }) => !answered.has(call_id))
    for (const { call_id } of fresh) answered.add(call_id)
    const schemaOf = (name: string) =>
      recorder.open().find(entry => entry.do === 'ask' && entry.name === name)?.schema
    const results = fresh
      .filter(({ metadata }) => metadata?.approval !== true)
      .map(({ call_id, name }) => {
        const schema = schemaOf(name)
        return {
          call_id,
          message_content: schema === undefined ? answer : JSON.stringify(instanceOf(schema, answer)),
        }
      })
    for (const { call_id, metadata } of fresh)
      if (metadata?.approval === true)
        await ask('POST', `/tasks/${task.id}/approvals`, { call_id, decision: 'approve' })
    if (results.length > 0) await ask('POST', `/tasks/${task.id}/input`, { tool_results: results })
  }
  /** Sends a message if the code waits for one, and for nothing else but time. */
  const sendMessage = async (task: Task, recorder: Recorder) => {
    const open = recorder.open()
    const message = open.find(entry => entry.do === 'message')
    const isIdle = open.every(entry => entry.do === 'message' || entry.do === 'sleep')
    if (message === undefined || !isIdle || sent.has(message.n) || sent.size >= mostMessages) return
    const events = recorder.nextEvents()
    const [event] = events ?? []
    if (events !== undefined && event === undefined) return
    sent.add(message.n)
    const body =
      event === undefined || events?.includes('message') ? { content: answer } : { event: { type: event } }
    await ask('POST', `/tasks/${task.id}/messages`, body)
  }
  return async (task: Task, recorder: Recorder): Promise<void> => {
    if (task.status === 'input-required') await answerCalls(task, recorder)
    else await sendMessage(task, recorder)
  }
}

const asking = ({ config, url }: { config: Config; url: string }) => {
  const own = connectToOwn(config, url)
  return (method: 'GET' | 'POST', where: string, body?: object): Promise<unknown> =>
    own.ask(client => client.request({ method, path: `/v1${where}`, body }))
}

export type LiveRun = {
  task: Task
  recording: Recording | undefined
  /** What the code waited for when the time was over. */
  open: string[]
}
export type Given = {
  name: string
  file: string
  input: string
  answer: string
  config: object
  vars: object
}

const play = async ({ name, file, input, answer, config, vars }: Given, own: OwnServer): Promise<LiveRun> => {
  const ask = asking(own)
  const { token } = (await ask('POST', '/auth/tokens', { role: 'worker' })) as { token: string }
  const listener = createListener()
  const hosts = createHosts(path.dirname(file), { url: own.url, token, listener })
  try {
    const host = await hosts.start(name, file)
    let died: string | undefined
    void host.ended.then(why => {
      died = [why, host.errors().at(-1)].filter(Boolean).join(': ')
    })
    const made = (await ask('POST', '/tasks', {
      ...{ user_message_content: input, stream: false, background: true },
      ...{ agent_config: { ...config, agent_id: name }, env: vars },
    })) as { result: Task }
    const serveTask = createClient(ask, answer)
    for (const until = Date.now() + longestRunMs; ; await sleep(lookMs)) {
      const { result: task } = (await ask('GET', `/tasks/${made.result.id}`)) as { result: Task }
      if (died !== undefined && !isTerminal(task.status)) throw new HostFailed(died)
      const recorder = listener.of(task.id)
      const isOver = isTerminal(task.status) || task.status === 'paused' || Date.now() > until
      const open = (recorder?.open() ?? []).map(({ do: what, name }) => `${what} ${name ?? ''}`.trim())
      if (isOver) return { task, recording: recorder?.recording(), open }
      if (recorder !== undefined) await serveTask(task, recorder)
    }
  } finally {
    await hosts.end()
  }
}

/** Runs the agent of a file to its end. Rejects with HostFailed when its host cannot be started, or ends meanwhile. */
export const runLive = async (given: Given): Promise<LiveRun> => {
  const own = await openServer()
  try {
    return await play(given, own)
  } finally {
    await own.close()
  }
}
