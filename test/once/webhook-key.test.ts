// The key of a webhook is free as soon as the webhook is deleted.
import t from 'tap'
import { givenSystem, quiet } from '../support/system.ts'
import { asked, receiver } from '../webhooks/without-network.ts'

t.test('the key of a webhook that was deleted a moment ago makes a new one', async t => {
  const { outside, world } = receiver()
  const system = await givenSystem({ outside, world })
  const create = () =>
    system.webhooks.commands.create(
      asked,
      { body: { url: 'https://x.example/', enabled: false }, found: [] },
      'k',
    )
  const first = await create()
  await quiet(system)
  await world.advance(1000)
  await system.webhooks.commands.remove(asked, first.webhook.id)
  const second = await create()
  t.not(second.webhook.id, first.webhook.id)
  await system.close()
})
