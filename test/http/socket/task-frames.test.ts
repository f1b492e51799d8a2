// Frames as messages: connections that are handed the same list are handed the same bytes, whatever their length.
import t from 'tap'
import { noPlace } from '../../../src/bus/past-frames.ts'
import type { Frame } from '../../../src/history/frames.ts'
import type { Outbox } from '../../../src/http/socket/outbox.ts'
import { writeFrames } from '../../../src/http/socket/task-frames.ts'
import { textFrame } from '../../../src/http/socket/text-frame.ts'
import { randomOf } from '../../support/world.ts'

const deltaOf = (n: number, length: number): Frame => ({
  type: 'task.text.delta',
  sequence_number: n,
  task_id: 'task_1',
  item_id: 'msg_1',
  agent_step: 1,
  content_index: 0,
  delta: 'ä'.repeat(length),
})
const messageOf = (frame: Frame): Buffer =>
  textFrame(
    `{"channel":"task","type":"${frame.type}","data":${JSON.stringify(frame)},"id":${frame.sequence_number}}`,
  )

/** What one connection writes of a list; undefined where it left. */
const written = async (frames: readonly Frame[], isOpen = true): Promise<Buffer[] | undefined> => {
  const writes: Buffer[] = []
  const outbox = {
    write: (bytes: Buffer) => writes.push(bytes) > 0,
    room: async () => {},
  } as unknown as Outbox
  const target = { outbox, isOpen: () => isOpen, place: noPlace, pause: async () => {} }
  return (await writeFrames(target, frames)) ? writes : undefined
}

t.test('whoever is handed the same short list writes the same buffer', async t => {
  const frames = [deltaOf(3, 10), deltaOf(4, 0), deltaOf(5, 500)]
  const [first] = (await written(frames)) ?? []
  const [second] = (await written(frames)) ?? []
  t.equal(first, second)
  t.same(first, Buffer.concat(frames.map(messageOf)))
  t.equal(await written(frames, false), undefined, 'nothing is written when nobody follows any more')
})

t.test('the bytes are those of the messages, however long the list is', async t => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randomOf(seed)
    const frames = Array.from({ length: 1 + Math.floor(30 * random()) }, (_, n) =>
      deltaOf(n, Math.floor(random() * 2 ** (15 * random()))),
    )
    const writes = (await written(frames)) ?? []
    t.ok(Buffer.concat(writes).equals(Buffer.concat(frames.map(messageOf))), `seed ${seed}`)
  }
})
