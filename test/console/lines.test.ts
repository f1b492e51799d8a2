// How the console reads long answers: line by line while they arrive, and on from where an answer broke off.
import t from 'tap'
import type { Api } from '../../console/api/api.ts'
import { readLines } from '../../console/api/lines.ts'
import { createEventReader } from '../../console/api/read-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'

/** A body that comes in these pieces, and then ends or fails. */
const bodyOf = (pieces: readonly Uint8Array[], failure?: Error): ReadableStream<Uint8Array> => {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift()
      if (piece !== undefined) controller.enqueue(piece)
      else if (failure === undefined) controller.close()
      else controller.error(failure)
    },
  })
}

t.test('lines come whole, wherever the answer is cut', async t => {
  const text = '{"a":"ä"}\n{"b":"🙂"}\n\n{"c":3}'
  const bytes = new TextEncoder().encode(text)
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    )
    const lines: string[] = []
    await readLines(bodyOf(pieces), more => lines.push(...more))
    t.same(lines, text.split('\n'), `in pieces of ${size} bytes`)
  }
})

t.test('an answer that breaks off is an error of the connection, another error is itself', async t => {
  const line = new TextEncoder().encode('{"a":1}\n{"b"')
  const lines: string[] = []
  const broken = readLines(bodyOf([line], new Error('reset')), more => lines.push(...more))
  await t.rejects(broken, { status: 0, message: /cannot be reached \(reset\)/ })
  t.same(lines, ['{"a":1}'], 'half a line is no line')
  const damaged = new Error('damaged')
  const thrown = readLines(bodyOf([line]), () => {
    throw damaged
  })
  await t.rejects(thrown, damaged)
})

t.test('events are read on from the last one that arrived', async t => {
  const lineOf = (position: number) =>
    JSON.stringify({ position, header: JSON.stringify({ revision: position - 1 }), data: {} })
  const asked: string[] = []
  const answers = [
    { lines: [[1, 2], [3]], failure: new Error('reset') },
    { lines: [[4]], failure: undefined },
    { lines: [], failure: undefined },
  ]
  const lines: Api['lines'] = async (path, _, take) => {
    asked.push(path)
    const answer = answers.shift()
    for (const some of answer?.lines ?? []) take(some.map(lineOf))
    if (answer?.failure !== undefined) throw answer.failure
  }
  const taken: Recorded[] = []
  let done = 0
  const reader = createEventReader({
    api: { lines } as Api,
    stream: 'task-a',
    take: events => taken.push(...events),
    done: () => done++,
    signal: new AbortController().signal,
  })
  await t.rejects(reader.now(), { message: 'reset' })
  t.equal(done, 0)
  await Promise.all([reader.now(), reader.now()])
  t.same(
    asked,
    [0, 3, 4].map(after => `/audit/events?stream=task-a&after=${after}`),
  )
  t.same(
    taken.map(({ position, header }) => [position, header.revision]),
    [1, 2, 3, 4].map(position => [position, position - 1]),
  )
  t.equal(done, 2)
})
