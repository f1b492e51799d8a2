// Every command with its arguments, its options and an example. A wrong command line gets an error of one line.
import { Command } from 'commander'
import { version } from '../platform/version.ts'
import { addCluster } from './cluster/cluster-commands.ts'
import { addProof } from './log/proof-commands.ts'
import { type Adders, eachOf, later } from './terminal/adding.ts'
import { endings } from './terminal/exit.ts'

const codes = endings.flatMap(ending => ('short' in ending ? `${ending.code} ${ending.short}` : []))
const footer = `
Exit codes: ${['0 ok', ...codes].join(', ')}
Each command has its own help: reprise tail --help`

/** The error text for a wrong command line. It is one line with the mistake, and with a suggestion or the usage. */
const slipOf = (command: Command, text: string): string => {
  const [slip, meant] = text
    .replace(/^error: /, '')
    .replace(/\.?\s*$/, '')
    .split('\n')
  return `reprise: ${slip}${meant === undefined ? `; usage: ${command.createHelp().commandUsage(command)}` : ` ${meant}`}\n`
}

const withShortErrors = (command: Command): Command =>
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(slipOf(command, text)) })

const addRunning = ({ command }: Adders): void => {
  command('serve', 'start the server (environment variables configure it)', 'serve --port 8081')
    .option('--port <port>', 'the port to listen on (default: PORT, or 8080)')
    .option('--host <host>', 'the address to listen on (default: HOST, or 127.0.0.1)')
    .option('--data <folder>', 'the data folder (default: DATA_DIR, or ./data)')
    .option('--accept-loss', 'continue with a log that has lost acknowledged events')
    .action(later(async () => (await import('./serve.ts')).serve))
  command('console', 'print a link that signs in to the console of the running server', 'console')
    .option('--json', 'print the link as JSON')
    .action(later(async () => (await import('./server/console.ts')).consoleLink))
  command(
    'try',
    'run a task and follow it here; uses the running server, or starts its own',
    'try "what is 2+3*4?"',
  )
    .argument('<question>', 'the question for the agent')
    .option('--agent <id>', 'the id of the agent (default: the server chooses)')
    .option('--session <id>', 'the id of the chat session that the task joins')
    .option('--json', 'print only the frames of the stream, each as a line of JSON')
    .action(later(async () => (await import('./server/try.ts')).tryTask))
}

/** Commands for people who write agents. */
const addAgents = ({ group, command }: Adders): void => {
  command(
    'dev',
    'start a server for a folder of agents, and tell what happens to its files; ends at Ctrl-C',
    'dev my-agents',
  )
    .argument('<folder>', 'the folder whose files are agents')
    .option('--port <port>', 'the port to listen on (default: PORT, or 8080)')
    .action(later(async () => (await import('./agent/dev.ts')).dev))
  const agent = group('agent', 'make, check and serve agents of your own')
  command(
    'new',
    'write the file of an agent that runs as it is',
    'agent new refunds --folder my-agents',
    agent,
  )
    .argument('<name>', 'the name of the agent')
    .option('--python', 'a function in Python')
    .option('--machine', 'a statechart')
    .option('--folder <folder>', 'the folder for the file', '.')
    .option('--json', 'print the name and the file as JSON')
    .action(later(async () => (await import('./agent/new.ts')).newAgent))
  command(
    'check',
    'run an agent with a fake model, and again while its process is killed at every step',
    'agent check my-agents/refunds.mjs --input "My mugs are broken."',
    agent,
  )
    .argument('[file]', 'the file of the agent')
    .option('--command <line>', 'check a host of the agent protocol instead, which this command starts')
    .option('--input <text>', 'the message of the user', 'hello')
    .option('--answer <text>', 'the answer to each question without a schema', 'yes')
    .option('--var <name=value>', 'a variable of the request (ctx.vars); repeat for more', eachOf)
    .option('--json', 'print the findings as JSON')
    .action(later(async () => (await import('./agent/check.ts')).checkAgent))
  command(
    'serve',
    'connect the agents of a folder to a server, as a worker',
    'agent serve my-agents --url https://reprise.example.com   # with REPRISE_TOKEN',
    agent,
  )
    .argument('<folder>', 'the folder whose files are agents')
    .option('--url <url>', 'the address of the server (default: REPRISE_URL)')
    .option('--token <token>', 'a token with the role worker (default: REPRISE_TOKEN)')
    .option('--name <text>', 'what people call the worker (default: the name of the machine)')
    .option('--slots <number>', 'how many tasks each of its processes takes at once', '16')
    .action(later(async () => (await import('./agent/serve-folder.ts')).serveFolder))
}

/** Commands that read the log and the read models. A server may run meanwhile. */
const addReading = ({ command }: Adders): void => {
  command(
    'tail',
    'follow public events in the log file as they are appended',
    'tail --since earliest --type TaskStatusChanged',
  )
    .option('--since <position>', 'begin after this position, or "earliest" (default: new events only)')
    .option('--type <types>', 'only events of these types, with commas between them', eachOf)
    .option('--task <id>', 'only events of this task')
    .option('--session <id>', 'only events of this chat session or environment session')
    .option('--user <id>', 'only events of this user')
    .option('--json', 'print each event as a line of JSON')
    .action(later(async () => (await import('./log/tail.ts')).tail))
  command(
    'history',
    'print the stored events of a task, environment session, webhook or cron job, one on each line',
    'history task_01a1b2c3',
  )
    .argument('<id>', 'the id of the task, environment session, webhook or cron job')
    .option('--json', 'print each event as a line of JSON: position, header, data')
    .action(later(async () => (await import('./log/history.ts')).history))
  command(
    'replay',
    'compute tasks again from their stored events, and compare the result with the read models',
    'replay --all',
  )
    .argument('[task]', 'the id of one task')
    .option('--all', 'check every event of the log and every row of the read models')
    .option('--json', 'print the verdict as JSON')
    .action(later(async () => (await import('./log/replay.ts')).replay))
}

/** Commands that fork and compare tasks. They ask the running server. */
const addForking = ({ command }: Adders): void => {
  command('fork', 'make a task with the past of another one, and print its id', 'fork task_01a1b2c3 --at 7')
    .argument('<task>', 'the id of the task')
    .requiredOption('--at <frame>', 'the number of the frame with which the past ends')
    .option('--agent <id>', 'the id of another agent')
    .option('--model <name>', 'another model')
    .option('--message <text>', 'a further message, which the next step sees')
    .option('--pause', 'let the fork wait until it is resumed')
    .option('--task-id <id>', 'the id of the fork (default: the server makes one)')
    .option('--json', 'print the fork as JSON')
    .action(later(async () => (await import('./server/fork.ts')).forkTask))
  command(
    'diff',
    'say where two tasks differ; ids and times do not count',
    'diff task_01a1b2c3 task_01d4e5f6',
  )
    .argument('<task>', 'the id of one task')
    .argument('<other>', 'the id of the other task')
    .option('--json', 'print the comparison as JSON')
    .action(later(async () => (await import('./server/diff.ts')).diffTasks))
}

/** Commands for the operator of the data folder. */
const addKeeping = ({ command }: Adders): void => {
  command('rebuild', 'delete the read models and build them again from the log; no server may run', 'rebuild')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./log/rebuild.ts')).rebuild))
  command('backup', 'copy the log and check the copy; a server may run', 'backup monday.db')
    .argument('<file>', 'the file to make; it must not exist yet')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./log/backup.ts')).backup))
  command(
    'restore',
    'check a backup and make a data folder from it; no server may run',
    'restore monday.db   # into DATA_DIR',
  )
    .argument('<file>', 'a file that reprise backup made')
    .option('--force', 'replace the log of the folder if there is one')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./log/restore.ts')).restoreFile))
}

const addTokens = ({ group, command }: Adders): void => {
  const token = group('token', 'make, list and revoke access tokens')
  command(
    'create',
    'print a new token, alone on the last line of stdout',
    'token create --role user --user-id alice',
    token,
  )
    .requiredOption('--role <role>', 'admin, user, auditor, subscriber, eraser or worker')
    .option('--name <text>', 'what people call the token in the list')
    .option('--user-id <id>', 'the user that the token acts for (default: all users)')
    .option('--ttl <seconds>', 'seconds until the token expires (default: never)')
    .option('--json', 'print the token and its record as JSON')
    .action(later(async () => (await import('./server/token.ts')).createToken))
  command('list', 'list tokens; the tokens themselves are never shown', 'token list', token)
    .option('--json', 'print each token as a line of JSON')
    .action(later(async () => (await import('./server/token.ts')).listTokens))
  command('revoke', 'revoke a token', 'token revoke tok_01a1b2c3', token)
    .argument('<id|token>', 'the id of the token, or the token itself')
    .option('--json', 'print the id of the revoked token as JSON')
    .action(later(async () => (await import('./server/token.ts')).revokeToken))
}

/** Commands about cron jobs. They ask the running server. */
const addCron = ({ group, command }: Adders): void => {
  const cron = group('cron', 'list, add, remove and run cron jobs')
  command('list', 'list cron jobs, newest first', 'cron list', cron)
    .option('--json', 'print each job as a line of JSON')
    .action(later(async () => (await import('./server/cron.ts')).listJobs))
  command(
    'add',
    'make a cron job that sends a message to an agent',
    'cron add report --schedule "0 7 * * MON-FRI" --timezone Europe/Berlin "write the report"',
    cron,
  )
    .argument('<name>', 'the name of the job')
    .argument('<message>', 'the message of each run')
    .option('--schedule <pattern>', 'a cron pattern of 5 or 6 fields, or @hourly and the like')
    .option('--every <seconds>', 'seconds between two runs')
    .option('--at <time>', 'the only time of the job, as ISO 8601')
    .option('--timezone <zone>', 'the time zone of the pattern (default: UTC)')
    .option('--agent <id>', 'the id of the agent (default: the server chooses)')
    .option('--missed <policy>', 'skip or run_once (default: skip)')
    .option('--overlap <policy>', 'skip, queue or allow (default: skip)')
    .option('--json', 'print the job as JSON')
    .action(later(async () => (await import('./server/cron.ts')).addJob))
  command('remove', 'delete a cron job', 'cron remove cron_01a1b2c3', cron)
    .argument('<id>', 'the id of the job')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./server/cron.ts')).removeJob))
  command('runs', 'list the runs of a cron job, newest first', 'cron runs cron_01a1b2c3', cron)
    .argument('<id>', 'the id of the job')
    .option('--json', 'print each run as a line of JSON')
    .action(later(async () => (await import('./server/cron.ts')).listRuns))
  command('trigger', 'run a cron job now', 'cron trigger cron_01a1b2c3', cron)
    .argument('<id>', 'the id of the job')
    .option('--json', 'print the run as JSON')
    .action(later(async () => (await import('./server/cron.ts')).triggerJob))
}

/** Commands about webhooks. They ask the running server. */
const addWebhooks = ({ group, command }: Adders): void => {
  const webhooks = group('webhooks', 'list, add, remove and test webhooks')
  command('list', 'list webhooks, oldest first; secrets are never shown', 'webhooks list', webhooks)
    .option('--json', 'print each webhook as a line of JSON')
    .action(later(async () => (await import('./server/webhooks.ts')).listWebhooks))
  command(
    'add',
    'make a webhook, and print its secret alone on the last line',
    'webhooks add https://hooks.example.com/reprise --type TaskStatusChanged',
    webhooks,
  )
    .argument('<url>', 'the URL to which events are sent')
    .option('--type <types>', 'only events of these types, with commas between them', eachOf)
    .option('--session <id>', 'only events of this session')
    .option('--task <id>', 'only events of this task')
    .option('--json', 'print the webhook and its secret as JSON')
    .action(later(async () => (await import('./server/webhooks.ts')).addWebhook))
  command('remove', 'delete a webhook and its secret', 'webhooks remove wh_01a1b2c3', webhooks)
    .argument('<id>', 'the id of the webhook')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./server/webhooks.ts')).removeWebhook))
  command('test', 'send a test to a webhook, and print how it ended', 'webhooks test wh_01a1b2c3', webhooks)
    .argument('<id>', 'the id of the webhook')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./server/webhooks.ts')).testWebhook))
  command(
    'deliveries',
    'list the deliveries of a webhook, newest first',
    'webhooks deliveries wh_01a1b2c3',
    webhooks,
  )
    .argument('<id>', 'the id of the webhook')
    .option('--json', 'print each delivery as a line of JSON')
    .action(later(async () => (await import('./server/webhooks.ts')).listDeliveries))
  command('redeliver', 'send an event once more', 'webhooks redeliver wh_01a1b2c3 1204', webhooks)
    .argument('<id>', 'the id of the webhook')
    .argument('<event>', 'the id of the event')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./server/webhooks.ts')).redeliver))
}

/** Commands to try things out: a fake model and a demonstration. */
const addTrying = ({ group, command }: Adders): void => {
  const model = group('model', 'models for trying and testing')
  command(
    'fake',
    'start a fake model that plays a script and faults, for tests; it needs no key',
    'model fake --fault cut-in-call@1',
    model,
  )
    .option('--port <port>', 'the port to listen on', '8090')
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option(
      '--script <file>',
      'a file with a JSON list of answers, used in order (default: plausible answers)',
    )
    .option(
      '--fault <name[@n]>',
      'a fault that every answer plays, or only the answer to the n-th request; repeat for more',
      eachOf,
    )
    .option('--faults', 'list the faults and exit')
    .action(later(async () => (await import('./server/model-fake.ts')).fakeModel))
  command(
    'check',
    'ask the configured model small questions, and print what works and which settings it needs',
    'model check   # with MODEL_BASE_URL, MODEL and MODEL_API_KEY as for the server',
    model,
  )
    .option('--json', 'print the findings and the settings as JSON')
    .action(later(async () => (await import('./server/model-check.ts')).modelCheck))

  const demo = group('demo', 'demonstrations of what the server guarantees')
  command(
    'crash',
    'kill a server in the middle of a stream, start it again, and see the stream continue',
    'demo crash',
    demo,
  )
    .option('--keep', 'keep the data folder, so that you can look into it')
    .option('--json', 'print only the verdict, as JSON')
    .action(later(async () => (await import('./demo/crash.ts')).demoCrash))
  command(
    'failover',
    'kill the owner of a cluster of two nodes, and see the other node go on; needs nats-server',
    'demo failover',
    demo,
  )
    .option('--json', 'print only the verdict, as JSON')
    .action(later(async () => (await import('./demo/failover.ts')).demoFailover))
}

export const createProgram = (): Command => {
  const program = withShortErrors(new Command('reprise'))
    .description('runs agent tasks on an append-only event log')
    .version(version)
    .addHelpText('after', footer)
  const group = (name: string, about: string) => withShortErrors(program.command(name)).description(about)
  const commands: Command[] = []
  const command = (name: string, about: string, example: string, parent = program) => {
    const added = withShortErrors(parent.command(name)).description(about)
    commands.push(added)
    return added.addHelpText('after', `\nExample:\n  reprise ${example}`)
  }

  // The help lists the commands in this order.
  for (const add of [
    addRunning,
    addAgents,
    addReading,
    addForking,
    addProof,
    addKeeping,
    addCluster,
    addTokens,
    addCron,
    addWebhooks,
    addTrying,
  ])
    add({ group, command })
  for (const each of commands) {
    each.option('--no-color', 'no colours (also NO_COLOR; FORCE_COLOR forces colours outside a terminal)')
  }
  return program
}
