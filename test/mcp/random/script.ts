// A random server: how it greets, which tools it lists, and how it answers each call.
import { type RawAnswer, type RawScript, result } from '../servers/raw.mjs'
import { listOf, plainTool } from '../servers/raw.ts'
import { type Behaviour, behaviours, type Expected } from './behaviours.ts'
import { chooser } from './choose.ts'

export type RandomTool = { name: string; token: string; behaviour: Behaviour; expected: Expected }
export type RandomServer = {
  isProcess: boolean
  script: RawScript
  /** The tools that can be used. The first one always answers. */
  tools: RandomTool[]
  /** How many definitions are odd. */
  odd: number
  /** Whether it forgets its session once. */
  forgets: boolean
}

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
}
const greetings = [
  hello,
  { ...hello, capabilities: null },
  { ...hello, capabilities: { tools: true }, serverInfo: null },
  { ...hello, protocolVersion: '2032-02-30', instructions: null },
  { protocolVersion: null },
]
/** Definitions that are left out or mended by name. */
const oddDefinitions = [
  null,
  7,
  'x',
  [],
  {},
  { name: null },
  { name: '' },
  { inputSchema: { type: 'object' } },
]
const schemas = [
  { type: 'object' },
  { type: 'object', properties: null, required: null },
  { properties: { a: null } },
  { type: 'object', properties: [], required: [] },
  { anyOf: [{ type: 'object' }] },
  true,
]
const fields = [
  {},
  { description: null },
  { title: 7 },
  { annotations: null },
  { outputSchema: null, icons: 'x' },
]
const noise = [
  'Server ready!\n',
  '\n\n',
  '[INFO] {\n',
  '{"level":"info","msg":"up"}\n',
  '\u001b[2J',
  'a'.repeat(5000),
]
const notReady: RawAnswer[] = [
  { writes: ['{"jsonrpc":"2.0","id":"$id","error":"not ready"}\n'] },
  { writes: ['{"jsonrpc":"2.0","id":"$id","result":{"tools":"soon"}}\n'] },
]

export const randomServer = (seed: number, isProcess: boolean): RandomServer => {
  const choose = chooser(seed)
  const possible = behaviours.filter(({ on }) => on === 'both' || on === (isProcess ? 'process' : 'place'))
  const toolOf = (behaviour: Behaviour, n: number) => {
    const token = `T${seed}x${n}x`
    const { answer, expected } = behaviour.make(choose, token)
    return { name: `tool${n}`, token, behaviour, expected, answer }
  }
  const chosen = Array.from({ length: 2 + choose.below(4) }, () => choose.one(possible))
  const made = [behaviours[0] as Behaviour, ...chosen].map(toolOf)
  const definitions: unknown[] = made.map(({ name }) => ({
    ...plainTool(name),
    inputSchema: choose.one(schemas),
    ...choose.one(fields),
  }))
  const odd = choose.below(3)
  for (let n = 0; n < odd; n++)
    definitions.splice(choose.below(definitions.length + 1), 0, choose.one(oddDefinitions))
  const half = choose.below(definitions.length)
  const page = (tools: unknown[], nextCursor: unknown) => listOf(tools, { nextCursor })
  const last = choose.one([null, '', undefined, false])
  const { lists, next } = choose.one<Pick<RawScript, 'lists' | 'next'>>([
    { lists: [page(definitions, last)] },
    {
      lists: [page(definitions.slice(0, half), choose.one(['2', 2, { at: 2 }]))],
      next: page(definitions.slice(half), last),
    },
    { lists: [page(definitions, 'again')] },
    { lists: [choose.one(notReady), page(definitions, last)] },
  ])
  return {
    isProcess,
    script: {
      before: choose.chance(0.5) ? [choose.one(noise)] : [],
      greeting: { writes: [`${result(choose.one(greetings))}\n`] },
      ...(lists === undefined ? {} : { lists }),
      ...(next === undefined ? {} : { next }),
      calls: Object.fromEntries(made.map(({ name, answer }) => [name, answer])),
    },
    tools: made.map(({ answer: _, ...tool }) => tool),
    odd,
    forgets: !isProcess && choose.chance(0.3),
  }
}
