// The commands for several nodes that share one log.
import { type Adders, later } from './adding.ts'

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
    .option('--data <folder>', 'a data folder whose log the cluster goes on with (default: a new log)')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster.ts')).init))
  command('status', 'show the nodes of a cluster and its streams in NATS', 'cluster status', cluster)
    .option('--json', 'print the nodes and streams as JSON')
    .action(later(async () => (await import('./cluster.ts')).status))
  command('leave', 'let the log of a stopped node go on alone, as a single machine', 'cluster leave', cluster)
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./cluster.ts')).leave))
}
