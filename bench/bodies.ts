import { newFolder } from './support/folder.ts'
import { startPinger } from './support/pinger.ts'
import { residentOf } from './support/process-use.ts'
import { adminToken, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  'how long other clients wait while one body of 1 to 32 MiB is read, for each expensive shape of a body'

const mib = 1024 * 1024
const rounds = Number(process.env.ROUNDS ?? 3)
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** The body of a request that creates a task. `rest`: its further fields as JSON text. */
const create = (rest: string): string =>
  `{"user_message_content":"hello","stream":false,"client_id":"echo",${rest}}`
const long = (name: string, piece: string, size: number): string =>
  `"${name}":"${piece.repeat(Math.floor(size / Buffer.byteLength(piece)))}"`
/** Pieces joined by commas, until they have `size` characters. */
const many = (piece: (n: number) => string, size: number): string => {
  const pieces: string[] = []
  for (let length = 0, n = 0; length < size; n++) {
    const next = piece(n)
    pieces.push(next)
    length += next.length + 1
  }
  return pieces.join(',')
}
/** `count` members, joined by commas, each long enough that all of them together reach `size`. */
const filled = (count: number, piece: (n: number, text: string) => string, size: number): string => {
  const text = 'x'.repeat(Math.max(1, Math.floor(size / count) - piece(count, '').length - 1))
  return Array.from({ length: count }, (_, n) => piece(n, text)).join(',')
}
const member = (n: number, text: string) => `"key${n}":"${text}"`
const keys = (size: number) => `{${many(n => `"key${n}":"v"`, size)}}`
const content = (piece: string, size: number): string =>
  `{"stream":false,"client_id":"echo",${long('user_message_content', piece, size)}}`
const item = (n: number) =>
  `{"type":"message","role":"user","id":"m${n}","message_content":[{"type":"text","text":"word"}]}`

type Case = { title: string; path?: string; body: (size: number) => string; sizes: number[] }
const small = [4 * mib]
const both = [4 * mib, 31 * mib]
const cases: Case[] = [
  { title: 'one text', body: size => content('x', size), sizes: both },
  { title: 'one text, quotes', body: size => content('\\"', size), sizes: both },
  { title: 'one text, \\u escapes', body: size => content('\\u4e16', size), sizes: both },
  { title: 'one text, three bytes a character', body: size => content('世', size), sizes: both },
  { title: 'one text, backslashes', body: size => content('\\\\', size), sizes: both },
  { title: 'one text of digits', body: size => content('9e9', size), sizes: both },
  { title: 'one text of __proto__', body: size => content('__proto__', size), sizes: both },
  { title: 'keys of env', body: size => create(`"env":${keys(size)}`), sizes: both },
  { title: 'keys of metadata', body: size => create(`"metadata":${keys(size)}`), sizes: both },
  { title: 'unknown fields', body: size => create(keys(size).slice(1, -1)), sizes: both },
  { title: 'keys of inference_args', body: size => create(`"inference_args":${keys(size)}`), sizes: both },
  {
    title: 'numbers in metadata',
    body: size => create(`"metadata":{"a":[${many(() => '1', size)}]}`),
    sizes: both,
  },
  {
    title: 'empty objects',
    body: size => create(`"metadata":{"a":[${many(() => '{}', size)}]}`),
    sizes: both,
  },
  { title: 'history items', body: size => create(`"history_messages":[${many(item, size)}]`), sizes: both },
  {
    title: 'content parts',
    body: size => `{"stream":false,"user_message_content":[${many(() => '"a"', size)}]}`,
    sizes: both,
  },
  {
    title: 'wrong items',
    body: size => create(`"history_messages":[${many(() => '{"type":1}', size)}]`),
    sizes: both,
  },
  { title: 'wrong tools', body: size => create(`"client_tools":[${many(() => '0', size)}]`), sizes: small },
  {
    title: 'names of tools',
    body: size => create(`"allowed_tools":[${many(n => `"t${n}"`, size)}]`),
    sizes: both,
  },
  { title: 'cut in the middle', body: size => content('x', size).slice(0, -2), sizes: both },
  { title: 'brackets', body: size => `[`.repeat(size), sizes: both },
  {
    title: 'schema',
    body: size => create(`"structured_output":{"enum":[${many(n => `"t${n}"`, size)}]}`),
    sizes: both,
  },
  // Bodies just below the limits, which are allowed.
  { title: 'allowed: unknown fields', body: size => create(filled(9_900, member, size)), sizes: both },
  {
    title: 'allowed: keys of inference_args',
    body: size => create(`"inference_args":{${filled(9_900, member, size)}}`),
    sizes: both,
  },
  {
    title: 'allowed: 19,600 different keys',
    body: size => {
      const object = (n: number) => filled(9_800, (m, text) => `"key${n}_${m}":"${text}"`, size / 2)
      return create(
        `"inference_args":{"a":[${Array.from({ length: 2 }, (_, n) => `{${object(n)}}`).join(',')}]}`,
      )
    },
    sizes: both,
  },
  {
    title: 'allowed: names of tools',
    body: size => create(`"allowed_tools":[${filled(99_000, (n, text) => `"t${n}${text}"`, size)}]`),
    sizes: both,
  },
  {
    title: 'allowed: content parts',
    body: size =>
      `{"stream":false,"client_id":"echo","user_message_content":[${filled(99_000, (_, text) => `"${text}"`, size)}]}`,
    sizes: both,
  },
  {
    title: 'allowed: history items',
    body: size => {
      const item = (n: number, text: string) =>
        `{"type":"message","role":"user","id":"m${n}","message_content":[{"type":"text","text":"${text}"}]}`
      return create(`"history_messages":[${filled(12_000, item, size)}]`)
    },
    sizes: both,
  },
  {
    title: 'allowed: a thousand variables of env',
    body: () => create(`"env":{${filled(1000, member, mib - 20_000)}}`),
    sizes: [mib],
  },
  {
    title: 'allowed: metadata',
    body: () => create(`"metadata":{${filled(9_000, member, mib - 99_000)}}`),
    sizes: [mib],
  },
  {
    title: 'reward data',
    path: '/tasks/none/reward',
    body: size => `{"value":1,"data":${keys(size)}}`,
    sizes: [mib - 4096],
  },
  {
    title: 'env kwargs',
    path: '/env/create',
    body: size => `{"env_id":"gridworld","env_init_kwargs":${keys(size)}}`,
    sizes: [mib - 4096],
  },
  {
    title: 'env_vars',
    path: '/env/create',
    body: size => `{"env_id":"gridworld","env_vars":${keys(size)}}`,
    sizes: [mib - 4096],
  },
]

export const run = async ([only]: string[]): Promise<void> => {
  const server = await startOurs(newFolder('bodies'))
  const pinger = startPinger(server.url)
  await wait(500)
  await pinger.waits()
  await wait(1000)
  console.log(`without a body: other clients wait ${short(Math.max(...(await pinger.waits())))} ms at most`)
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const bad: string[] = []
  for (const { title, path = '/tasks', body, sizes } of cases) {
    if (only !== undefined && !title.includes(only)) continue
    for (const size of sizes) {
      const bytes = Buffer.from(body(size - 200))
      const most = size > 4 * mib ? 400 : 100
      const stalls: number[] = []
      let status = 0
      let took = 0
      for (let round = 0; round < rounds; round++) {
        await wait(300)
        await pinger.waits()
        const began = performance.now()
        const answer = await fetch(`${server.url}/v1${path}`, { method: 'POST', headers, body: bytes })
        status = answer.status
        await answer.arrayBuffer()
        took = performance.now() - began
        await wait(200)
        stalls.push(Math.max(...(await pinger.waits())))
      }
      const middle = [...stalls].sort((a, b) => a - b)[stalls.length >> 1] ?? 0
      if (middle > most) bad.push(`${title}, ${size / mib} MiB`)
      const verdict = middle > most ? `NOT below ${most}` : `below ${most}`
      console.log(
        `${title.padEnd(36)}${String(Math.round(size / mib)).padStart(3)} MiB  ${status}  ` +
          `others wait ${stalls.map(short).join(' / ')} ms, ${verdict}; answered in ${short(took)} ms`,
      )
    }
  }
  console.log(
    `resident ${Math.round(residentOf(server.pid) ?? 0)} MiB; ${bad.length} shapes hold the server up`,
  )
  await pinger.stop()
  await server.stop()
}
