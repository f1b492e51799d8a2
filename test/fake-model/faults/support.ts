// Plays one fault, and sees what arrives and how it ends.
import { request } from 'node:http'
import type { Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import type { ProtocolName } from '../../../src/fake-model/protocols/protocol.ts'
import { startFakeModel } from '../../../src/fake-model/server.ts'
import { paths, requests } from '../support.ts'

/** An answer with everything that a fault may touch. */
export const sample: Answer = {
  reasoning: 'let me think',
  text: 'hello wörld 😀',
  tool_calls: [
    { name: 'add', arguments: { a: 1, b: 'é' } },
    { name: 'list', arguments: { c: 'x' } },
  ],
}
export const argumentsOf = ['{"a":1,"b":"é"}', '{"c":"x"}']

export type Seen = {
  status: number
  type: string | undefined
  retryAfter: string | undefined
  text: string
  /** The bytes of each read. */
  reads: Buffer[]
  /** close: orderly; break: the connection broke; open: it said no more, and stayed open. */
  end: 'close' | 'break' | 'open'
}
type Options = { protocol?: ProtocolName; stream?: boolean; answer?: Answer; until?: RegExp }

/**
 * The answer that plays these faults. Reads to the end, or until the text fits `until`: then it asks the server for
 * something else, and looks whether the first answer is still open when that has come.
 */
export const play = async (
  t: Test,
  faults: string | string[],
  { protocol = 'chat', stream = true, answer = sample, until }: Options = {},
): Promise<Seen> => {
  const model = await startFakeModel({ answers: [{ ...answer, fault: faults }] })
  t.teardown(() => model.close())
  return new Promise(resolve => {
    const asked = request(`${model.url}${paths[protocol]}`, { method: 'POST' }, response => {
      const reads: Buffer[] = []
      const seen = (end: Seen['end']): Seen => ({
        status: response.statusCode ?? 0,
        type: response.headers['content-type'],
        retryAfter: response.headers['retry-after'],
        text: Buffer.concat(reads).toString(),
        reads,
        end,
      })
      let ended = false
      const end = (how: Seen['end']) => {
        ended = true
        resolve(seen(how))
      }
      let looking = false
      const look = async () => {
        if (looking || ended || until?.test(Buffer.concat(reads).toString()) !== true) return
        looking = true
        await fetch(`${model.url}/requests`)
        if (ended) return // it ended meanwhile
        end('open')
        response.destroy()
      }
      response.on('data', (bytes: Buffer) => {
        reads.push(bytes)
        void look()
      })
      void look()
      response.on('end', () => end('close'))
      response.on('error', () => (ended ? undefined : end('break')))
    })
    asked.end(JSON.stringify({ ...requests[protocol], stream }))
  })
}
