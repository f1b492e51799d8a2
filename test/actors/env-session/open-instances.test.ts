// The instances of environments that are open, and those that are just being opened or closed.
import t from 'tap'
import { createOpenInstances } from '../../../actors/env-session/open-instances.ts'
import { settle, testWorld } from '../../support/world.ts'

t.test('a stop waits for an instance that is opened meanwhile, until it is closed', async t => {
  const open = createOpenInstances(testWorld().timers)
  let openIt = (_: never) => {}
  let closeIt = () => {}
  const closed = new Promise<void>(resolve => {
    closeIt = resolve
  })
  const work = new Promise<never>(resolve => {
    openIt = resolve
  })
  const opening = t.rejects(open.track('s', work, 0), { message: 'the server is stopping' })
  open.stop()
  let isOver = false
  const dropping = open.dropAll().then(() => {
    isOver = true
  })
  openIt({ close: () => closed } as never)
  await settle()
  t.notOk(isOver, 'it is not closed yet')
  t.notOk(open.areNone())
  closeIt()
  await Promise.all([dropping, opening])
  t.ok(open.areNone())
})
