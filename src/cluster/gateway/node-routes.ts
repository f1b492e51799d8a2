// The routes that nodes have for each other, below /cluster/. Only signed requests of other nodes come here.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { World } from '../../contract/ports.ts'
import type { Introduction } from '../introduction.ts'
import type { Neighbours } from '../neighbours.ts'
import { notFound, unreadable } from './answers.ts'
import type { Hop } from './hop.ts'
import { type KeyAnswer, type KeyQuestion, type NodeKeys, perLot, writeLot } from './key-lots.ts'
import { openLetter, sealLetter } from './sealed-letter.ts'
import type { Answers, Said } from './send-answer.ts'

export const keysPath = '/cluster/keys'
/** The path at which a node that starts introduces itself. */
export const joinPath = '/cluster/join'
export const statusPath = '/cluster/status'

/** The texts that bind a sealed question and its sealed answer to one request. */
export const aboutQuestion = (nonce: string): string => `question ${nonce}`
export const aboutAnswer = (nonce: string): string => `answer ${nonce}`

/** The largest size of a question, in bytes. */
const longestQuestion = 1024 * 1024

/** A standby counts as present for this many milliseconds after it has last asked for keys. */
export const presentMs = 1000

/**
 * A node that asks for keys. `run`: the id of its process. `sequence`: the last record that it had when it asked.
 * `askedAt`: Unix milliseconds of its newest question.
 */
export type Standby = { node: string; url: string; run: string; sequence: number; askedAt: number }
/** What a node answers to one that starts. `isTaken`: another process has the name of that node. */
export type JoinAnswer = { from: Introduction; isTaken: boolean }

type Deps = {
  keys: NodeKeys
  /** The key that seals stream keys on their way. */
  key: Uint8Array
  /** What this node says about itself. It is sent as JSON. */
  status(): object
  /** Carries out an order of an operator: a POST to this path, with its query. Undefined: there is no such order. */
  order?(path: string): Promise<Said> | undefined
  /** Called for each node that asks for keys. */
  asked?(node: { node: string; url: string }): void
  me: Introduction
  neighbours: Pick<Neighbours, 'met' | 'namesake'>
  answers: Answers
  clock: World['clock']
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longestQuestion) throw new Error('the question is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export const createNodeRoutes = (deps: Deps) => {
  const { keys, key, status, order, asked, me, neighbours, answers, clock } = deps
  const standbys = new Map<string, Standby>()
  const isPresent = ({ askedAt }: Standby): boolean => clock.now() - askedAt < presentMs

  /** Whether another process that runs at the moment has the name of this one. */
  const isTaken = ({ node, run }: Introduction): boolean => {
    const known = standbys.get(node)
    const is =
      node === me.node ? run !== me.run : known !== undefined && known.run !== run && isPresent(known)
    if (is) neighbours.namesake(node)
    return is
  }
  const keysFor = ({ have, url, sequence, from }: KeyQuestion): KeyAnswer['lot'] => {
    // A standby that has no key yet counts as present, too.
    for (const [epoch, upTo] of have.length > 0 ? have : [[0, 0] as const]) keys.shared(epoch, upTo)
    standbys.set(from.node, { node: from.node, url, run: from.run, sequence, askedAt: clock.now() })
    asked?.({ node: from.node, url })
    return writeLot(
      keys.missing(
        have.map(([epoch, upTo]) => ({ epoch, upTo })),
        perLot,
      ),
    )
  }
  const answerKeys = (question: KeyQuestion): KeyAnswer => {
    neighbours.met(question.from)
    return isTaken(question.from)
      ? { lot: [], from: me, isTaken: true }
      : { lot: keysFor(question), from: me, isTaken: false }
  }
  const answerJoin = (from: Introduction): JoinAnswer => ({ from: me, isTaken: isTaken(from) })

  /** Opens the letter in a request, and answers with a letter. */
  const answerLetter = async <Question>(
    request: IncomingMessage,
    response: ServerResponse,
    { nonce }: Hop,
    answer: (question: Question) => object,
  ): Promise<void> => {
    const question = openLetter(key, aboutQuestion(nonce), await bodyOf(request)) as Question
    const letter = sealLetter(key, aboutAnswer(nonce), answer(question))
    response
      .writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' })
      .end(letter)
  }
  return {
    /** Other nodes that have asked this one for keys since it started. */
    standbys: (): Standby[] => [...standbys.values()],
    /** Those that have asked a moment ago, so that they could take over. */
    present: (): Standby[] => [...standbys.values()].filter(isPresent),
    handle(request: IncomingMessage, response: ServerResponse, hop: Hop): void {
      const refuse = (said: Said): void => answers.send(response, said)
      const line = `${request.method} ${request.url}`
      if (line === `GET ${statusPath}`) return void refuse({ status: 200, headers: {}, body: status() })
      const ordered = request.method === 'POST' ? order?.(request.url ?? '') : undefined
      if (ordered !== undefined) return void ordered.then(refuse, () => refuse(unreadable))
      const answered =
        line === `POST ${keysPath}`
          ? answerLetter(request, response, hop, answerKeys)
          : line === `POST ${joinPath}` && answerLetter(request, response, hop, answerJoin)
      if (answered === false) return void refuse(notFound)
      answered.catch(() => refuse(unreadable))
    },
  }
}
