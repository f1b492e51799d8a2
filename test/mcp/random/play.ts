// Calls the tools of a random server, and compares what becomes of each call with what must become of it.
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { McpServer } from '../../../src/mcp/server.ts'
import { pause } from '../../support/http.ts'
import { rawPlace, rawProcess } from '../servers/raw.ts'
import { folderOf, givenMcp } from '../support.ts'
import type { Expected } from './behaviours.ts'
import { type RandomServer, type RandomTool, randomServer } from './script.ts'

/** What a test gives: functions that run at its end. */
export type Lasting = Pick<Test, 'teardown'>

/** No call may take longer, beside the time that the test lets pass. */
const longestMs = 60_000

/** A place that forgets its session once, before a call. */
const serve = async (t: Lasting, { isProcess, script, forgets }: RandomServer): Promise<McpServer> => {
  if (isProcess) return rawProcess(folderOf(t), script)
  let session = ''
  let mayForget = forgets
  const { server } = await rawPlace(t, script, {
    first({ message, headers }, response) {
      if (!forgets || message.method === undefined || message.id === undefined) return false
      if (message.method === 'initialize') {
        session = randomUUID()
        response.setHeader('mcp-session-id', session)
        return false
      }
      if (message.method === 'tools/call' && mayForget) {
        mayForget = false
        session = ''
      }
      if (headers['mcp-session-id'] === session) return false
      response.writeHead(404).end('no such session')
      return true
    },
  })
  return server
}

type Outcome = { content?: string; failure?: string }
const judge = (
  { token, expected, behaviour, name }: RandomTool,
  { content, failure }: Outcome,
  others: string[],
): string[] => {
  const { end, words, shows } = expected
  const said = content ?? failure ?? ''
  const told = `${name} (${behaviour.name}): ${said.slice(0, 300)}`
  const isResult = content !== undefined
  const fits = isResult ? end !== 'failure' : end !== 'content' && words?.test(said) === true
  return [
    ...(fits ? [] : [`another end than expected: ${told}`]),
    ...((isResult || end !== 'either') && shows && !said.includes(token)
      ? [`what came is lost: ${told}`]
      : []),
    ...(others.some(other => said.includes(other)) ? [`the answer to another call: ${told}`] : []),
    ...(/undefined|\[object/.test(said.replace('"a":undefined', '')) ? [`not words: ${told}`] : []),
  ]
}

/** The problems of one random server, and the names of the behaviours that it has shown. */
export const play = async (
  t: Lasting,
  seed: number,
  isProcess: boolean,
): Promise<{ problems: string[]; shown: string[] }> => {
  const random = randomServer(seed, isProcess)
  const mcp = await givenMcp(t, [await serve(t, random)])
  const problems: string[] = []
  const tokens = random.tools.map(({ token }) => token)

  const outcomeOf = async ({ name }: RandomTool): Promise<Outcome> => {
    try {
      const content = await mcp.call(`s__${name}`)
      return { content: typeof content === 'string' ? content : JSON.stringify(content) }
    } catch (error) {
      return { failure: (error as Error).message }
    }
  }
  /** Calls a tool. Lets time pass, if the call needs it, and not more than is allowed. */
  const call = async (tool: RandomTool, after: Expected['after']): Promise<void> => {
    let outcome: Outcome | undefined
    const calling = outcomeOf(tool).then(found => {
      outcome = found
    })
    const started = performance.now()
    let passed = 0
    const most = after === 'nothing' ? 0 : 700_000
    const steps = { nothing: 0, patience: 1000, limit: 100_000 }
    while (outcome === undefined && performance.now() - started < longestMs) {
      await Promise.race([calling, pause(after === 'nothing' ? 1000 : 40)])
      if (outcome !== undefined || passed >= most) continue
      passed += steps[after]
      await mcp.world.advance(steps[after])
    }
    if (outcome === undefined) problems.push(`${tool.name} (${tool.behaviour.name}) waits beyond its limit`)
    else
      problems.push(
        ...judge(
          tool,
          outcome,
          tokens.filter(token => token !== tool.token),
        ),
      )
  }
  const isQuick = ({ behaviour, expected }: RandomTool) =>
    behaviour.harms !== true && expected.after === 'nothing'

  const listed = await mcp.list().catch((error: Error) => void problems.push(`no tools: ${error.message}`))
  const usable = (listed ?? []).filter(({ odd }) => odd?.left_out !== true).length
  const odd = (listed ?? []).filter(tool => tool.odd !== undefined).length
  if (usable !== random.tools.length) problems.push(`${usable} tools in place of ${random.tools.length}`)
  if (odd !== random.odd) problems.push(`${odd} odd tools are named in place of ${random.odd}`)

  const [good] = random.tools
  await Promise.all(random.tools.filter(isQuick).map(tool => call(tool, 'nothing')))
  for (const tool of random.tools.filter(each => !isQuick(each))) {
    await call(tool, tool.expected.after)
    if (good === undefined) continue
    // A process that ends may take one more call with it.
    if (tool.behaviour.harms) for (let n = 0; n < 3 && (await outcomeOf(good)).content === undefined; n++);
    await call(good, 'nothing')
  }
  const where = `${isProcess ? 'a process' : 'a place'}, seed ${seed}`
  return {
    problems: problems.map(problem => `${where}: ${problem}`),
    shown: random.tools.map(({ behaviour }) => behaviour.name),
  }
}

/** Plays servers with these seeds, some at the same time. `processes`: how many of a hundred are processes. */
export const playAll = async ({
  first,
  count,
  processes,
}: {
  first: number
  count: number
  processes: number
}) => {
  const seeds = Array.from({ length: count }, (_, n) => first + n)
  const problems: string[] = []
  const shown = new Set<string>()
  const worker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const jobs: (() => unknown)[] = []
      const lasting = { teardown: (job: () => unknown) => void jobs.push(job) } as unknown as Lasting
      const played = await play(lasting, seed, (seed * 37) % 100 < processes)
      for (const job of jobs.reverse()) await job()
      problems.push(...played.problems)
      for (const name of played.shown) shown.add(name)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return { problems, shown }
}
