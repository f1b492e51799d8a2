// The commands for several nodes that share one log.
import { type Adders, eachOf, later } from '../terminal/adding.ts'

export const addCluster = ({ group, command }: Adders): void => {
  const cluster = group('cluster', 'set up and watch nodes that share one log')
  command(
    'init',
    'make the key of a cluster, its streams in NATS and the first record of its log; what is there stays',
    'cluster init --nats nats://n1,nats://n2,nats://n3',
    cluster,
  )
    .option('--nats <urls>', 'the NATS servers, separated by commas (default: CLUSTER_NATS_URL, or NATS_URL)')
    .option('--shards <count>', 'the number of shards: 1', '1')
    .option('--key <file>', 'the file of the key (default: CLUSTER_KEY_FILE, or cluster-key in DATA_DIR)')
    .option(
      '--data <folder>',
      'a data folder whose log the cluster goes on with (default: that of the owner, or a new log)',
    )
    .option('--node <url>', 'also ask the node at this URL for its log; repeat for more', eachOf)
    .option('--new', 'begin a new log although the key was there: no node has a log of this cluster')
    .option(
      '--again',
      'delete the stream of the log and make it again; the owner, or the folder of --data, fills it',
    )
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster.ts')).init))
  command(
    'status',
    'show the nodes of a cluster and its NATS servers; exit code 1 when something is wrong',
    'cluster status --watch',
    cluster,
  )
    .option('--node <url>', 'also ask the node at this URL; repeat for more', eachOf)
    .option('--watch', 'show it again every 2 seconds, until Ctrl-C')
    .option('--json', 'print everything as one line of JSON')
    .action(later(async () => (await import('./cluster-status.ts')).status))
  command(
    'drain',
    'let the node of this machine give the log to another node, and stay a standby that does not take over',
    'cluster drain',
    cluster,
  )
    .option('--node <url>', 'the URL of another node')
    .option('--off', 'end the drain: the node may take over again')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster-orders.ts')).drain))
  command('move', 'make a node that is ready the owner of the log', 'cluster move b', cluster)
    .argument('<node>', 'the name of the node')
    .option('--node <url>', 'also ask the node at this URL; repeat for more', eachOf)
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster-orders.ts')).move))
  command('forget', 'no longer list a node that was taken away for good', 'cluster forget c', cluster)
    .argument('<node>', 'the name of the node')
    .option('--node <url>', 'also ask the node at this URL; repeat for more', eachOf)
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster-orders.ts')).forget))
  command('leave', 'let the log of a stopped node go on alone, as a single machine', 'cluster leave', cluster)
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster.ts')).leave))
}
