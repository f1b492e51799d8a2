// reprise agent check --command: plays the server's side of the agent protocol to a host in any language, and says line by line
// what it does as docs/agent-protocol.md says.
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, readHostMessage, turnOf } from '../../agent-hosts/messages.ts'
import { Unfit } from '../../platform/programs/lines.ts'
import type { Printer } from '../terminal/printer.ts'
import { type Finding, lineOf } from './finding.ts'
import { allCases, beginOf, type Mismatch, newLease, playCase } from './play-case.ts'
import { HostFailed, type HostProcess, helloIn, type Message, startHostProcess } from './tested-host.ts'

/** Milliseconds in which a host must answer, and for which it must be silent. */
const [answerMs, quietMs] = [5000, 200]

/** Whether something is what was expected. Names of classes and random numbers are the own affair of a library. */
const fits = (given: unknown, expected: unknown): boolean => {
  if (typeof expected === 'number' && expected > 0 && expected < 1)
    return typeof given === 'number' && given >= 0 && given < 1
  if (Array.isArray(expected))
    return (
      Array.isArray(given) &&
      given.length === expected.length &&
      expected.every((one, n) => fits(given[n], one))
    )
  if (!isObject(expected)) return Object.is(given, expected)
  if (!isObject(given)) return false
  const names = (of: object) => Object.keys(of).filter(name => name !== 'class')
  return (
    names(given).every(name => name in expected) &&
    names(expected).every(name => fits(given[name], expected[name]))
  )
}

/** Each message of the host is read as the server reads it. */
const checked = (host: HostProcess): HostProcess => ({
  ...host,
  async next(ms = answerMs) {
    const message = await host.next(ms)
    const read = readHostMessage(message)
    if (read?.type === 'turn') turnOf(read.fields)
    return message
  },
})

type Way = { name: string; play(host: HostProcess, agent: string): Promise<Mismatch | undefined> }

const tool = (name: string) => ['tool', name]
const typesOf = (messages: Message[]) => messages.map(({ type }) => type)
/** What comes within a while. */
const heardIn = async (host: HostProcess, ms: number): Promise<Message[]> => {
  await sleep(ms)
  const heard: Message[] = []
  while (host.waiting() > 0) heard.push(await host.next())
  return heard
}

/** What the protocol asks for besides the cases. */
const ways: Way[] = [
  {
    name: 'a ping gets a pong',
    async play(host) {
      host.send({ type: 'ping' })
      return { given: (await host.next()).type, expected: 'pong' }
    },
  },
  {
    name: 'messages and fields of later protocols are skipped',
    async play(host) {
      host.send({ type: 'a_later_message', of: 'a later protocol' })
      host.send({ type: 'ping', a_later_field: true })
      return { given: (await host.next()).type, expected: 'pong' }
    },
  },
  {
    name: 'each entry has a digest of at most 64 characters, and the same call has the same one',
    async play(host, agent) {
      const digests: unknown[] = []
      for (let n = 0; n < 2; n++) {
        const lease = newLease()
        host.send(beginOf(agent, { lease, config: { program: ['tool', 'a', { order: 5 }] } }))
        const { moves } = (await host.next()) as unknown as { moves: { digest: unknown }[] }
        digests.push(moves[0]?.digest)
        host.send({ type: 'stop', lease, reason: 'ended' })
      }
      const [digest] = digests
      const isFit = typeof digest === 'string' && digest.length > 0 && digest.length <= 64
      return isFit ? { given: digests[1], expected: digest } : { given: digest, expected: 'a text' }
    },
  },
  {
    name: 'random numbers are the same when the code runs again',
    async play(host, agent) {
      const answers: unknown[] = []
      for (let n = 0; n < 2; n++) {
        host.send(beginOf(agent, { lease: newLease(), config: { program: ['seq', ['random'], ['random']] } }))
        answers.push((await host.next()).outcome)
      }
      return { given: answers[1], expected: answers[0] }
    },
  },
  {
    name: 'two leases work side by side',
    async play(host, agent) {
      const [one, other] = [newLease(), newLease()]
      const outcomes: Record<string, unknown> = {}
      for (const lease of [one, other]) host.send(beginOf(agent, { lease, config: { program: tool(lease) } }))
      for (let n = 0; n < 2; n++) await host.next()
      for (const lease of [other, one])
        host.send({ type: 'results', lease, results: [{ n: 1, at: 1001, value: { text: lease } }] })
      for (let n = 0; n < 2; n++) {
        const { lease, outcome } = await host.next()
        outcomes[String(lease)] = outcome
      }
      return { given: outcomes, expected: { [one]: { answer: one }, [other]: { answer: other } } }
    },
  },
  {
    name: 'nothing comes for a lease that the server has stopped',
    async play(host, agent) {
      const lease = newLease()
      host.send(beginOf(agent, { lease, config: { program: tool('a') } }))
      await host.next()
      host.send({ type: 'stop', lease, reason: 'canceled' })
      host.send({ type: 'results', lease, results: [{ n: 1, at: 1001, value: { text: 'late' } }] })
      return { given: typesOf(await heardIn(host, quietMs)), expected: [] }
    },
  },
  {
    // The last one: the host ends with it.
    name: 'at SIGTERM the host says that it stops, and gives its leases back',
    async play(host, agent) {
      const lease = newLease()
      host.send(beginOf(agent, { lease, config: { program: tool('a') } }))
      await host.next()
      host.signal('SIGTERM')
      const stopping = await host.next()
      const release = await host.next()
      return {
        given: [stopping.type, release.type, release.lease],
        expected: ['stopping', 'release', lease],
      }
    },
  },
]

const troubleOf = (error: unknown): string => {
  if (error instanceof Unfit) return `the host sent ${error.message}`
  if (error instanceof HostFailed) return error.message
  throw error
}

/** Waits for the hello. Returns the name of the agent, or what is wrong. */
const greet = async (host: HostProcess): Promise<{ agent?: string; finding: Finding }> => {
  const says = (found: string, holds = false): Finding => ({ what: 'hello', holds, found })
  try {
    const message = await host.next()
    if (message.type === 'failed') return { finding: says(`the host has failed: ${message.message}`) }
    if (message.type !== 'hello') return { finding: says(`the host sent ${message.type} before its hello`) }
    const [first, ...others] = helloIn(message).agents
    if (first === undefined || others.length > 0) return { finding: says('a started host serves one agent') }
    host.send({ type: 'welcome', agents: [first.name], refused: [] })
    return { agent: first.name, finding: says(`serves the agent ${first.name}`, true) }
  } catch (error) {
    return { finding: says(troubleOf(error)) }
  }
}

const findingOf = async (name: string, play: () => Promise<Mismatch | undefined>): Promise<Finding> => {
  const what = 'case'
  try {
    const mismatch = await play()
    if (mismatch === undefined || fits(mismatch.given, mismatch.expected))
      return { what, holds: true, found: name }
    const { given, expected } = mismatch
    const found = `${name}: the host sent ${JSON.stringify(given)}, and should have sent ${JSON.stringify(expected)}`
    return { what, holds: false, found }
  } catch (error) {
    return { what, holds: false, found: `${name}: ${troubleOf(error)}` }
  }
}

export const checkCommand = async (
  line: string,
  { json }: { json?: true },
  printer: Printer,
): Promise<{ name: string | undefined; findings: Finding[] }> => {
  const start = () =>
    checked(
      startHostProcess({
        command: 'sh',
        args: ['-c', line],
        cwd: process.cwd(),
        env: { ...process.env } as Record<string, string>,
      }),
    )
  const findings: Finding[] = []
  const tell = async (finding: Finding) => {
    findings.push(finding)
    if (!json) await printer.rows([lineOf(printer, finding)])
  }
  let host = start()
  const { agent, finding } = await greet(host)
  await tell(finding)
  if (agent !== undefined) {
    const plays = [
      ...allCases.map(one => ({
        name: one.name,
        play: (host: HostProcess) => playCase(host, agent, one, fits),
      })),
      ...ways,
    ]
    for (const { name, play } of plays) {
      const found = await findingOf(name, () => play(host, agent))
      await tell(found)
      if (found.holds) continue
      // What the host still says belongs to this case, so the next one gets another host.
      await host.kill()
      host = start()
      await greet(host)
    }
  }
  await host.kill()
  return { name: agent, findings }
}
