// Gives each answer of a server to the request that it belongs to. An answer that cannot be read fails its request at
// once. An answer without a usable id belongs to the only request that it can belong to.
import type { Transport } from '@modelcontextprotocol/client'
import { brokenOff, unreadable } from '../failure.ts'
import { type Fields, type Heard, idIn, isFields } from './heard.ts'
import { packed } from './parcel.ts'
import { shown, wordsIn } from './words.ts'

// Reads a server's answer to `initialize`. The client refuses versions that it does not know, and fields of another
// form. But the tools of all versions of this handshake are listed and called in the same way.

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

/**
 * The answer in the form that the client accepts. `offered`: the version that the client has named. `known`: the
 * versions that it knows.
 */
const readGreeting = (answer: Fields, offered: unknown, known: readonly string[]): Fields => {
  const { protocolVersion, capabilities, serverInfo, instructions } = answer
  const declared = isFields(capabilities) ? capabilities.tools : undefined
  const info = isFields(serverInfo) ? serverInfo : {}
  const hasTools = declared !== undefined && declared !== null && declared !== false
  return {
    protocolVersion: known.includes(protocolVersion as string) ? protocolVersion : offered,
    // Servers report changes of their tools also when they have not declared it.
    capabilities: hasTools ? { tools: { listChanged: true } } : {},
    serverInfo: { name: textOr(info.name, 'unknown'), version: textOr(info.version, 'unknown') },
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
}

// Reads the error of an answer. The protocol wants `{code, message, data}`; servers also send a text, a code of the
// system, or nothing at all.

/** The code of an error that has none. */
const unknownCode = -32_000

type ErrorAnswer = { code: number; message: string; data?: unknown }

const codeOf = (code: unknown): number => {
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code
  const isOurs = number === brokenOff || number === unreadable
  return Number.isSafeInteger(number) && !isOurs ? (number as number) : unknownCode
}

const ofFields = ({ code, message, data, ...rest }: Fields): ErrorAnswer => {
  const said = wordsIn(message) || wordsIn(rest)
  const more = wordsIn(data)
  const name = typeof code === 'string' && Number.isNaN(Number(code)) && !said.includes(code) ? code : ''
  const words = [said, said.includes(more) ? '' : more].filter(part => part !== '').join(': ')
  const named = name === '' ? words : words === '' ? name : `${words} (${name})`
  return {
    code: codeOf(code),
    message: named === '' ? `an error without a text, with the code ${code ?? 'missing'}` : named,
    ...(data === undefined ? {} : { data }),
  }
}

/** The error in the form of the protocol, with everything that it says in its message. */
const readError = (error: unknown): ErrorAnswer =>
  isFields(error)
    ? ofFields(error)
    : { code: unknownCode, message: wordsIn(error) || 'an error without a text' }

export type Message = Parameters<NonNullable<Transport['onmessage']>>[0]
export type Id = string | number
type Asked = { method: string; params: unknown }
type Answer = { message: Fields } | { broken: string }

/** Requests and notifications that only a client sends. From a server they are an echo. */
const ours = new Set([
  'initialize',
  'notifications/initialized',
  'server/discover',
  'tools/list',
  'tools/call',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
])

/** At most this many characters of an answer that cannot be read are shown. */
const longestShown = 200
export const cannotRead = (text: string): string =>
  `sent an answer that cannot be read: ${shown(text, longestShown)}`

const isId = (id: unknown): id is Id => typeof id === 'string' || typeof id === 'number'

/** The words of a progress report reach the client also when its numbers are missing. */
const progressOf = ({ progress, total, message, ...rest }: Fields): Fields => ({
  ...rest,
  progress: Number.isFinite(progress) ? progress : 0,
  ...(typeof message === 'string' ? { message } : {}),
})

const withoutAnswer = ({ method, params, id }: Fields): Fields => ({
  jsonrpc: '2.0',
  method,
  ...(isFields(params) ? { params: method === 'notifications/progress' ? progressOf(params) : params } : {}),
  ...(isId(id) ? { id } : {}),
})

type Unclaimed = { answer: Answer; mayBe: Set<Id> }

/** `versions`: the versions of the protocol that the client knows. */
export const createMcpAnswers = (versions: readonly string[]) => {
  const open = new Map<Id, Asked>()
  /** The ids of all requests so far, as texts. */
  const everAsked = new Set<string>()
  let unclaimed: Unclaimed[] = []
  let version: string | undefined

  const resultOf = ({ method, params }: Asked, result: unknown): unknown => {
    if (method === 'initialize') {
      if (!isFields(result)) throw new Error(`the result of "initialize" is no object`)
      if (typeof result.protocolVersion === 'string') version = result.protocolVersion
      return readGreeting(result, isFields(params) ? params.protocolVersion : undefined, versions)
    }
    const isRead = method === 'tools/list' || method === 'tools/call' || method.startsWith('tasks/')
    return isRead ? packed(result) : result
  }
  const messageFor = (id: Id, asked: Asked, answer: Answer): Fields => {
    const base = { jsonrpc: '2.0', id }
    if ('broken' in answer)
      return { ...base, error: { code: unreadable, message: cannotRead(answer.broken) } }
    const { error, result, jsonrpc: _, id: __, ...rest } = answer.message
    if (error !== undefined && error !== null) return { ...base, error: readError(error) }
    if (result === undefined && Object.keys(rest).length > 0) return { ...base, error: readError(rest) }
    try {
      return { ...base, result: resultOf(asked, result) }
    } catch (problem) {
      return { ...base, error: { code: unreadable, message: cannotRead((problem as Error).message) } }
    }
  }

  /** Ends the request; undefined: it has ended before. */
  const close = (id: Id): Asked | undefined => {
    const asked = open.get(id)
    open.delete(id)
    for (const { mayBe } of unclaimed) mayBe.delete(id)
    return asked
  }
  const give = (id: Id, answer: Answer): Fields[] => {
    const asked = close(id)
    return asked === undefined ? [] : [messageFor(id, asked, answer)]
  }
  const fail = (ids: readonly Id[], code: number, message: string): Fields[] =>
    ids.flatMap(id => (close(id) === undefined ? [] : [{ jsonrpc: '2.0', id, error: { code, message } }]))

  /** Gives answers without a usable id to requests, once it is certain which ones they belong to. */
  const claim = (): Fields[] => {
    unclaimed = unclaimed.filter(({ mayBe }) => mayBe.size > 0)
    for (const { answer, mayBe } of unclaimed) {
      const rivals = unclaimed.filter(other => [...other.mayBe].every(id => mayBe.has(id)))
      if (rivals.length < mayBe.size) continue
      unclaimed = unclaimed.filter(other => !rivals.includes(other))
      const [only, ...more] = mayBe
      const given =
        only !== undefined && more.length === 0
          ? give(only, answer)
          : fail([...mayBe], unreadable, 'sent answers whose ids are not those of the requests')
      return [...given, ...claim()]
    }
    return []
  }

  const take = (heard: Heard, among?: readonly Id[]): Fields[] => {
    if (!('message' in heard || 'broken' in heard)) return []
    if ('message' in heard && typeof heard.message.method === 'string') {
      return ours.has(heard.message.method) ? [] : [withoutAnswer(heard.message)]
    }
    const stated = 'message' in heard ? heard.message.id : idIn(heard.broken)
    const written = String(stated).trim()
    const id = among?.find(each => open.has(each)) ?? [...open.keys()].find(each => `${each}` === written)
    if (id !== undefined) return [...give(id, heard), ...claim()]
    if (everAsked.has(written)) return [] // it comes twice, or too late
    unclaimed.push({ answer: heard, mayBe: new Set(among ?? open.keys()) })
    return claim()
  }

  return {
    /** Called with each message that is sent to the server. */
    sent(message: Message): void {
      if (!('method' in message && 'id' in message)) return
      open.set(message.id, { method: message.method, params: message.params })
      everAsked.add(`${message.id}`)
    },
    /** The messages for the client. `among`: the only requests that an answer may belong to; absent: any. */
    take: take as (heard: Heard, among?: readonly Id[]) => Message[],
    /** Fails these requests, unless they have an answer. `message` continues a sentence with the server's name. */
    fail: fail as (ids: readonly Id[], code: number, message: string) => Message[],
    /** The requests without an answer. */
    open: (): Id[] => [...open.keys()],
    /** The version of the protocol that the server has named. */
    version: (): string | undefined => version,
  }
}
export type Answers = ReturnType<typeof createMcpAnswers>
