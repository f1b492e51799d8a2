// A node from sources whose lease lies: once it is this node's, it stays so and nobody else's, until the node follows the
// log again. So only the log can refuse this node.
import { openLease } from '../../src/cluster/lease.ts'
import { readConfig } from '../../src/config.ts'
import { startNode } from '../../src/start/node.ts'

let [wasMine, isOver] = [false, false]

const lyingLease: typeof openLease = deps => {
  const lease = openLease(deps)
  const lies = () => wasMine && !isOver
  return {
    ...lease,
    isMine() {
      if (!isOver && lease.isMine()) wasMine = true
      return lies() || lease.isMine()
    },
    holder: () => (lies() ? deps.node : lease.holder()),
    onChange: listener =>
      lease.onChange(now => {
        if (!lies()) listener(now)
      }),
  }
}

const config = readConfig(process.env)
if (config.cluster === undefined) throw new Error('CLUSTER=1 is missing')
await startNode(
  config,
  config.cluster,
  (level, message, fields) => {
    process.stderr.write(`${level} ${message} ${JSON.stringify(fields ?? {})}\n`)
    if (message === 'this node is standby' && wasMine) isOver = true
  },
  lyingLease,
)
