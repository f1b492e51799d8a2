// reprise cluster drain and move: two real nodes, while clients write.
import tap from 'tap'
import { noNats, startCluster, until } from '../support/cluster.ts'
import { createNode, type Node } from '../support/cluster-node.ts'
import { runReprise } from '../support/server.ts'

const echo = { user_message_content: 'hello', client_id: 'echo', stream: false }

/** Creates tasks at a node, one after the other, until it is stopped. */
const writer = (node: Node, mark: string) => {
  let isOver = false
  const statuses: number[] = []
  const ids: string[] = []
  const run = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const id = `${mark}-${n}`
      const body = { ...echo, task_id: id }
      const answer = await node.api('POST', '/tasks', body, { 'idempotency-key': id }).then(
        ({ status }) => status,
        () => 0,
      )
      statuses.push(answer)
      if (answer === 200 || answer === 201) ids.push(id)
    }
  }
  const running = run()
  return {
    async end() {
      isOver = true
      await running
      return { statuses, ids }
    },
  }
}

/** Six writers at a node. */
const writers = (node: Node, mark: string) => {
  const all = [1, 2, 3, 4, 5, 6].map(n => writer(node, `${mark}-${n}`))
  return {
    async end() {
      const ended = await Promise.all(all.map(one => one.end()))
      return { statuses: ended.flatMap(one => one.statuses), ids: ended.flatMap(one => one.ids) }
    },
  }
}

tap.test(
  'the log is moved between two nodes while clients write',
  { skip: noNats, timeout: 150_000 },
  async t => {
    const cluster = await startCluster(t)
    await cluster.whole()
    const first = await cluster.owner()
    const second = cluster.other(first)
    const { settings } = await cluster.nats.client()
    const run = (node: Node, args: string[]) =>
      runReprise(['cluster', ...args], {
        DATA_DIR: node.dataDir,
        CLUSTER_KEY_FILE: `${cluster.folder}/key`,
        CLUSTER_NATS_URL: settings.servers.map(server => `nats://cluster:only-for-tests@${server}`).join(','),
      })
    const at = (node: Node) => node.standing()
    const lives = async (node: Node, ids: string[]) => {
      for (const id of ids.slice(-20)) t.equal((await node.api('GET', `/tasks/${id}`)).status, 200, id)
    }

    await t.test('drain gives the log to the standby, and no request fails there', async t => {
      const staying = writers(second, 'one')
      const leaving = writers(first, 'left')
      await until('some tasks', async () => (await second.api('GET', '/tasks')).ok)
      const drained = await run(first, ['drain'])
      t.match(
        drained,
        { code: 0, stdout: `${first.name} is drained: ${second.name} owns the log now\n` },
        drained.stderr,
      )
      t.equal(await cluster.owner(), second)
      const { statuses, ids } = await staying.end()
      t.same([...new Set(statuses)], [200])
      t.ok(ids.length > 0)
      await lives(first, ids)
      const left = await leaving.end()
      const others = left.statuses.filter(status => status !== 200 && status !== 503)
      t.same(others, [], 'a request that waits at the drained node is sent on')
      await lives(second, left.ids)
      const standing = await until('a standby', async () => {
        const found = await at(first)
        return found?.role === 'standby' && found
      })
      t.match(standing, { isReady: false, owner: second.name, conditions: [{ code: 'drained' }] })
    })

    await t.test('a drained node is not given the log, until the drain ends', async t => {
      const refused = await run(second, ['drain'])
      t.equal(refused.code, 1)
      t.match(
        refused.stderr,
        `no node could take the log over, so nothing was changed: ${first.name} is not ready (this node is drained`,
      )
      t.match(await run(first, ['drain', '--off']), {
        code: 0,
        stdout: /may take over again \(it was drained\)/,
      })
      await cluster.whole()
    })

    await t.test('move makes a node the owner, and both are ready afterwards', async t => {
      const staying = writers(first, 'two')
      const moved = await run(second, ['move', first.name])
      t.match(moved, { code: 0, stdout: /owns the log now, after \d/ }, moved.stderr)
      t.equal(await cluster.owner(), first)
      const { statuses, ids } = await staying.end()
      t.same([...new Set(statuses)], [200])
      await cluster.whole(20_000)
      await lives(second, ids)
      t.match(await run(second, ['move', first.name]), { code: 0, stdout: /owns the log already/ })
      t.match(await run(second, ['move', 'x']), { code: 1, stderr: /no node x is known/ })
    })

    await t.test('the owner says in numbers how its standby is', async t => {
      const metrics = async (node: Node) => (await fetch(`${node.url}/metrics`)).text()
      await until('what the owner knows', async () =>
        /^reprise_cluster_standby_behind_records 0$/m.test(await metrics(first)),
      )
      t.match(await metrics(first), /^reprise_cluster_condition\{code="drained"\} 0$/m)
      t.notMatch(await metrics(second), /^reprise_cluster_standby_behind_records \d/m)
      t.match(await metrics(second), /^reprise_cluster_condition\{code="no-standby"\} 0$/m)
    })

    await t.test('of three nodes, the one that is named gets the log', async t => {
      const third = await createNode('c', { nats: cluster.nats, folder: cluster.folder, env: {} })
      t.teardown(third.close)
      await third.start()
      await until('a third node', async () => (await at(third))?.isReady)
      await until('that it is known', async () => (await run(second, ['status'])).stdout.includes('\nc '))
      for (const node of [third, second, first]) {
        const moved = await run(first, ['move', node.name])
        t.match(moved, { code: 0, stdout: `${node.name} owns the log now` }, moved.stderr)
        for (const each of [first, second, third])
          await until('all ready', async () => (await at(each))?.isReady)
      }
      await third.kill()
      t.match(await run(first, ['forget', 'c']), { code: 0 })
    })

    await t.test('a node alone keeps the log, and an away node can be forgotten', async t => {
      await second.kill()
      const alone = await run(first, ['drain'])
      t.match(alone, { code: 1, stderr: new RegExp(`nothing was changed: ${second.name} does not answer`) })
      t.match(await run(first, ['move', second.name]), { code: 1, stderr: /does not answer/ })
      t.equal(await cluster.owner(), first)
      t.match(await run(first, ['forget', second.name]), { code: 0, stdout: /no longer listed/ })
      t.match(await run(first, ['forget', second.name]), { code: 1, stderr: /no node knows a node/ })
      t.match(await run(second, ['drain']), { code: 2, stderr: /no node runs in this folder/ })
    })
  },
)
