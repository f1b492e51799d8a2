import { createParser } from 'eventsource-parser'
import { newFolder } from './support/folder.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { createNotes, interleave, printRatio } from './support/rounds.ts'
import { adminToken, startModelEndpoint, startOurs } from './support/server.ts'

export const about =
  'tokens per second through streamed tasks with a model, against reading the same stream with fetch'

const tokens = 20_000
const seconds = 4
const model = `whole-${tokens}`
const post = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/**
 * Reads streams one after the other, `streams` of them at the same time, for some seconds. Resolves to tokens per
 * second.
 */
const during = async (streams: number, read: () => Promise<void>): Promise<number> => {
  const began = performance.now()
  let whole = 0
  const one = async () => {
    while (performance.now() - began < seconds * 1000) {
      await read()
      whole++
    }
  }
  await Promise.all(Array.from({ length: streams }, one))
  return (whole * tokens) / ((performance.now() - began) / 1000)
}

export const run = async (): Promise<void> => {
  const endpoint = await startModelEndpoint()
  const ours = await startOurs(newFolder('ours'), [], { MODEL_BASE_URL: `${endpoint.url}/v1`, MODEL: model })

  /** Reads a stream as a client does that wants the text: frames, JSON and deltas or, without `parses`, only frames. */
  const read = (parses: boolean) => async () => {
    const answer = await post(`${endpoint.url}/v1/chat/completions`, { model, messages: [], stream: true })
    let heard = 0
    let text = ''
    const parser = createParser({
      onEvent: ({ data }) => {
        heard++
        if (parses && data !== '[DONE]') text += JSON.parse(data).choices[0]?.delta.content ?? ''
      },
    })
    const decoder = new TextDecoder()
    for await (const bytes of answer.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }))
    if (heard < tokens || (parses && text.length < 6 * tokens))
      throw new Error(`heard ${heard} of ${tokens} tokens`)
  }
  const readTask = async () => {
    const answer = await post(`${ours.url}/v1/tasks`, { user_message_content: 'go', stream: true })
    let last = ''
    const decoder = new TextDecoder()
    for await (const bytes of answer.body ?? [])
      last = (last + decoder.decode(bytes, { stream: true })).slice(-300_000)
    if (!last.includes('event: task.completed\n'))
      throw new Error(`the stream ended before the task was completed: ${last.slice(-300)}`)
  }

  for (const streams of [1, 32]) {
    const notes = createNotes()
    const rounds = await interleave({
      plain: () => during(streams, read(true)),
      frames: () => during(streams, read(false)),
      task: async () => {
        const before = cpuSecondsOf(ours.pid) ?? 0
        const rate = await during(streams, readTask)
        notes.add('server busy, cores', ((cpuSecondsOf(ours.pid) ?? 0) - before) / seconds)
        return rate
      },
    })
    printRatio(`${streams} stream${streams === 1 ? '' : 's'}`, rounds.task, rounds.plain, {
      unit: 'tokens/s',
      target: { atLeast: 0.7 },
    })
    notes.print()
    printRatio('  against its frames alone, nothing parsed', rounds.task, rounds.frames, { unit: 'tokens/s' })
  }
  await ours.stop()
  await endpoint.stop()
}
