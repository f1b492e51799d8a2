// A fold that was saved gives what the whole fold gives: the same frames to the byte, after any event of any history.
import t, { type Test } from 'tap'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { isTaskStream } from '../../src/contract/task-stream.ts'
import type { Usage } from '../../src/contract/wire.ts'
import { createLateRenderer, createRenderer, type FrameRenderer } from '../../src/history/frame-renderer.ts'
import type { Frame } from '../../src/history/frames.ts'
import { foldText, restoredFold, savedEvery, savedFold } from '../../src/history/saved-fold.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { emptyFramed, emptyShown, evolveFramed, evolveShown } from '../../src/history/task-view.ts'
import { decode } from '../../src/log/decode.ts'
import { byStream, simulate } from '../actors/simulation.ts'
import { randomHistory } from '../projections/histories.ts'
import { readRecording, recordingNames } from '../recorded/files.ts'

const readIn = (streams: Map<string, Recorded[]>) =>
  async function* (stream: string, after = -1) {
    yield (streams.get(stream) ?? []).filter(({ header }) => header.revision > after)
  }
const told = async ({ render }: FrameRenderer, events: Recorded[]): Promise<Frame[][]> => {
  const frames: Frame[][] = []
  for (const event of events) frames.push(await render(event))
  return frames
}
const lines = (frames: Frame[][]) => frames.map(own => JSON.stringify(own))

/** How many folds were saved and taken up, one after each event. */
const checkAll = async (t: Test, events: Recorded[], name: string): Promise<number> => {
  const streams = byStream(events)
  const read = readIn(streams)
  let checked = 0
  for (const [stream, own] of streams) {
    if (!isTaskStream(stream)) continue
    const [first] = own.map(taskEvents.read)
    if (first?.type !== 'TaskCreated' || first.data.request.return_rollout) continue
    const whole = lines(await told(createRenderer(read), own))
    const { output } = own.map(taskEvents.read).reduce(evolveFramed, emptyFramed())
    const view = emptyShown()
    const wrong: string[] = []
    for (const [n, event] of own.entries()) {
      evolveShown(view, taskEvents.read(event))
      const begun = restoredFold(foldText(view), first.data)
      // What is settled is what it is at the end, whenever it is read.
      const items = async (settled: number) => output.slice(0, settled)
      const late = await told(createLateRenderer(read, begun, items), own.slice(n + 1))
      if (lines(late).join() !== whole.slice(n + 1).join()) wrong.push(`${name}, ${stream} after ${n}`)
      const again = restoredFold(foldText(view), first.data)
      for (const [at, item] of output.slice(0, again.settled).entries()) again.view.output[at] = item
      if (JSON.stringify(taskOf(again.view)) !== JSON.stringify(taskOf(view)))
        wrong.push(`the task of ${stream}`)
      checked++
    }
    t.same(wrong, [])
  }
  return checked
}

t.test('taken up after any event of recorded histories', async t => {
  for (const name of recordingNames()) {
    const { rows } = readRecording(name)
    t.ok(
      (await checkAll(
        t,
        rows.map(row => decode(row)),
        name,
      )) > 100,
    )
  }
})

t.test('taken up after any event of random histories', async t => {
  for (let seed = 1; seed <= 6; seed++) {
    t.ok((await checkAll(t, await simulate(seed), `SEED=${seed}`)) > 20)
    t.ok((await checkAll(t, await randomHistory(seed, 60), `SEED=${seed}`)) > 20)
  }
})

t.test('it is due after every thousandth event, and more rarely while it is long', t => {
  const after = (revision: number, length: number) => {
    const view = emptyFramed()
    view.revision = revision
    view.reason = 'x'.repeat(length)
    return savedFold(view) !== undefined
  }
  t.notOk(after(0, 0))
  t.notOk(after(savedEvery, 0))
  t.ok(after(savedEvery - 1, 0))
  t.ok(after(2 * savedEvery - 1, 1000))
  t.notOk(after(savedEvery - 1, 1.5 * 1024 * 1024))
  t.ok(after(2 * savedEvery - 1, 1.5 * 1024 * 1024))
  t.notOk(after(3 * savedEvery - 1, 1.5 * 1024 * 1024))
  t.end()
})

t.test('what a request or a tool gives does not change what is read back', t => {
  const view = emptyFramed()
  view.pendingCalls = [
    {
      type: 'tool_call',
      id: 'tc',
      call_id: 'c',
      name: 'map',
      status: 'completed',
      arguments: '{"map":[["a",1]]}',
    },
  ]
  view.usage = { map: [['a', 1]], set: [1] } as unknown as Usage
  const { view: back } = restoredFold(foldText(view), {} as never)
  t.same({ ...back, created: undefined }, view)
  t.end()
})
