// Copies the kept state of a session while the session keeps new states and removes old packs.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { copyKeptState, partsOfState } from '../../src/env-sessions/copy-state.ts'

t.test('packs of other states may disappear while a state is copied', async t => {
  const root = t.testdir()
  const [from, to] = [path.join(root, 'from'), path.join(root, 'to')]
  const packs = path.join(from, partsOfState.packs)
  mkdirSync(packs, { recursive: true })
  mkdirSync(path.join(from, partsOfState.states))
  writeFileSync(path.join(from, partsOfState.states, '1.json'), '{}')
  writeFileSync(path.join(packs, 'needed'), 'pieces')
  let isKeeping = true
  const others = Array.from({ length: 20 }, (_, n) => path.join(packs, `other-${n}`))
  const keeping = (async () => {
    while (isKeeping) {
      for (const other of others) writeFileSync(other, '')
      await new Promise(resolve => setImmediate(resolve))
      for (const other of others) rmSync(other)
      await new Promise(resolve => setImmediate(resolve))
    }
  })()
  for (let n = 0; n < 20; n++) {
    const copy = path.join(to, `${n}`)
    t.equal(await copyKeptState(from, copy, '1.json'), true)
    t.ok(readdirSync(path.join(copy, partsOfState.packs)).includes('needed'))
  }
  isKeeping = false
  await keeping
})

t.test('a state whose file is gone is not copied', async t => {
  const root = t.testdir({ from: { states: {} } })
  t.equal(await copyKeptState(path.join(root, 'from'), path.join(root, 'to'), '1.json'), false)
})
