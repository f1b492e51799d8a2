// A process that wants the lease of a shard, for tests that freeze it. Its argument is the settings as JSON. It says when
// it holds the lease, and after each line of input, whether it holds it at that moment.
import { openLease } from '../../src/cluster/lease.ts'
import { realWorld } from '../../src/platform/world.ts'
import { holdingsOf } from './lease-support.ts'

const lease = openLease({
  ...JSON.parse(process.argv[2] ?? ''),
  timers: realWorld().timers,
  report: () => {},
})
const holdings = holdingsOf(lease)
lease.onChange(now => console.log(JSON.stringify({ now })))
lease.want(true)
process.stdin.on('data', () => {
  console.log(JSON.stringify({ isMine: lease.isMine(), holdings: holdings.all() }))
})
