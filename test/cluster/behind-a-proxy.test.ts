// A cluster behind a proxy that leaves a path in requests: each node answers for itself, and a standby sends the rest on.
import t from 'tap'
import { noNats, startCluster } from '../support/cluster.ts'
import { read } from '../support/http.ts'

t.test('a node takes the path of PUBLIC_URL from requests', { skip: noNats }, async t => {
  const cluster = await startCluster(t, { env: { PUBLIC_URL: 'https://example.com/reprise' } })
  await cluster.whole()
  const owner = await cluster.owner()
  const standby = cluster.other(owner)
  for (const prefix of ['', '/reprise']) {
    const ready = await read(fetch(`${standby.url}${prefix}/readyz`))
    t.match(ready.body, { cluster: { role: 'standby' } }, `${prefix}/readyz of a standby is its own answer`)
    t.equal((await fetch(`${standby.url}${prefix}/ui`)).status, 200)
    t.equal((await fetch(`${standby.url}${prefix}/cluster/status`)).status, 404, 'only nodes ask for this')
  }
})
