// Secrets of webhooks that are deleted at the same moment.
import t from 'tap'
import { givenSystem, memorySecrets, quiet } from '../support/system.ts'
import { asked, make, receiver } from './without-network.ts'

t.test('a secret that comes while its webhook is deleted is not kept', async t => {
  const { outside, world } = receiver()
  const secrets = memorySecrets()
  const system = await givenSystem({ outside, world, secrets })
  const { webhook } = await make(system, { enabled: false })
  const { commands } = system.webhooks
  const rotated = await Promise.allSettled([
    commands.remove(asked, webhook.id),
    commands.rotate(asked, webhook.id, undefined),
  ])
  t.equal(rotated[1]?.status, 'rejected')
  await quiet(system)
  t.same(secrets.refs(), [])
  await system.close()
})
