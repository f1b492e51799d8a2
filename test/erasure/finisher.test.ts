// Erasures that are finished together: what must be done everywhere is done once, and one that fails stops no other.
import t from 'tap'
import { createFinisher } from '../../src/erasure/finisher.ts'
import type { StoredErasure } from '../../src/erasure/stored-erasures.ts'

const erasure = (erasure_id: string): StoredErasure => ({
  ...{ erasure_id, positions: [1], time: '', reason: 'old', by: 'admin' },
  ...{
    subject: { kind: 'retention', id: 'old' },
    streams: [`task-${erasure_id}`],
    left: [],
    finished: undefined,
  },
})

const given = () => {
  const steps: string[] = []
  const broken = new Set<string>()
  const finished: string[] = []
  const finisher = createFinisher({
    destroyers: {
      log: {
        noteErasure: async () => {},
        destroy: async () => void steps.push('payloads'),
        wipe: async (isAll: boolean) => {
          steps.push(isAll ? 'wipe all pages' : 'wipe changed pages')
          return true
        },
      } as never,
      rowsErased: async () => {},
      files: {
        async remove([stream = '']) {
          if (broken.has(stream)) throw new Error('the file cannot be removed')
          steps.push(`files of ${stream}`)
          return []
        },
        forget: () => {},
      },
      forget: () => {},
      rewriteReadModels: async () => void steps.push('read models'),
      readers: async () => {},
      elsewhere: [],
      reach: () => {},
    },
    stored: {
      leave: async each => each,
      async finish(each, data) {
        finished.push(each.erasure_id)
        return { ...each, finished: data }
      },
      unfinished: async () => [erasure('a'), erasure('b'), erasure('c')],
    },
    report: () => {},
  })
  const taken = (): string[] => steps.splice(0)
  return { finisher, broken, finished, taken }
}

t.test('the read models are written anew once for erasures that are finished together', async t => {
  const { finisher, finished, taken } = given()
  const all = ['a', 'b'].map(erasure)
  for (const each of all) await finisher.prepare(each)
  t.same(taken(), ['files of task-a', 'payloads', 'files of task-b', 'payloads'])
  t.equal(finisher.pending(), 2)
  await finisher.retry()
  t.same(taken(), [], 'none of them has failed')
  await finisher.finishAll(all)
  t.same(taken(), ['read models', 'wipe changed pages'])
  t.same(finished, ['a', 'b'])
  t.equal(finisher.pending(), 0)
})

t.test('an erasure that cannot be finished stops no other, and is tried again', async t => {
  const { finisher, broken, finished, taken } = given()
  broken.add('task-b')
  await finisher.resume()
  t.same(finished, ['a', 'c'])
  t.equal(finisher.pending(), 1)
  t.same(taken().slice(-2), ['read models', 'wipe all pages'])
  await finisher.retry()
  t.same(finished, ['a', 'c'])
  broken.clear()
  await finisher.retry()
  t.same(finished, ['a', 'c', 'b'])
  t.same(taken(), ['files of task-b', 'payloads', 'read models', 'wipe all pages'])
})
