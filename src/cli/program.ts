// Every command with its arguments, its options and an example. A wrong command line gets an error of one line.
import { Command } from 'commander'
import { version } from '../platform/version.ts'
import { addCluster } from './cluster/cluster-commands.ts'
import { addProof } from './log/proof-commands.ts'
import { addServer } from './server/server-commands.ts'
import { type Adders, eachOf, helpOfCommands, later } from './terminal/adding.ts'
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
  return `reprise: ${slip}${meant === undefined ? `; ${wayOutOf(command, slip)}` : ` ${meant}`}\n`
}

/** The commands of a group are few enough to name all. */
const wayOutOf = (command: Command, slip = ''): string => {
  const isGroup = command.parent !== null && slip.startsWith('unknown command')
  const help = command.createHelp()
  return isGroup
    ? `the commands are ${command.commands.map(each => each.name()).join(', ')}`
    : `usage: ${help.commandUsage(command)}`
}

const withShortErrors = (command: Command): Command =>
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(slipOf(command, text)) })

const addRunning = ({ command, asking }: Adders): void => {
  command('serve', 'start the server (environment variables configure it)', 'serve --port 8081')
    .option('--port <port>', 'the port to listen on (default: PORT, or 8080)')
    .option('--host <host>', 'the address to listen on (default: HOST, or 127.0.0.1)')
    .option('--data <folder>', 'the data folder (default: DATA_DIR, or ./data)')
    .option('--accept-loss', 'continue with a log that has lost acknowledged events')
    .action(later(async () => (await import('./serve.ts')).serve))
  asking('console', 'print a link that signs in to the console of a server', 'console')
    .option('--json', 'print the link as JSON')
    .action(later(async () => (await import('./server/console.ts')).consoleLink))
  asking(
    'try',
    'run a task and show it here; starts a server of its own if none runs',
    'try "what is 2+3*4?"',
  )
    .argument('<question>', 'the question for the agent')
    .option('--agent <id>', 'the id of the agent (default: the server chooses)')
    .option('--session <id>', 'the id of the chat session that the task joins')
    .option('--json', 'print only the frames of the stream, each as a line of JSON')
    .action(later(async () => (await import('./server/try.ts')).tryTask))
  asking(
    'acp',
    'serve an editor that speaks the Agent Client Protocol, over stdin and stdout',
    'acp --agent demo',
  )
    .option('--agent <id>', 'the id of the agent (default: the server chooses)')
    .option(
      '--approve <patterns>',
      'calls of tools that wait for your permission, with commas between them',
      eachOf,
    )
    .action(later(async () => (await import('./server/acp.ts')).acp))
}

/** Commands for people who write agents. */
const addAgents = ({ group, command, asking }: Adders): void => {
  command(
    'dev',
    'start a server for a folder of agents, and tell what happens to its files; ends at Ctrl-C',
    'dev my-agents',
  )
    .argument('<folder>', 'the folder whose files are agents')
    .option('--port <port>', 'the port to listen on (default: PORT, or 8080)')
    .action(later(async () => (await import('./agent/dev.ts')).dev))
  const agent = group(
    'agent',
    'list the agents of a server; make, check and serve agents of your own',
    'agents',
  )
  asking('list', 'list the agents of a server', 'agent list', agent)
    .option('--json', 'print each agent as a line of JSON')
    .action(later(async () => (await import('./server/agents.ts')).listAgents))
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
    .configureHelp(helpOfCommands)
  const group: Adders['group'] = (name, about, otherName) => {
    const added = withShortErrors(program.command(name)).description(about)
    return otherName === undefined ? added : added.alias(otherName)
  }
  const commands: Command[] = []
  const askers: Command[] = []
  const command = (name: string, about: string, example: string, parent = program) => {
    const added = withShortErrors(parent.command(name)).description(about)
    commands.push(added)
    return added.addHelpText('after', `\nExample:\n  reprise ${example}`)
  }
  const asking: typeof command = (...given) => {
    const added = command(...given)
    askers.push(added)
    return added
  }

  // The help lists the commands in this order.
  for (const add of [
    addRunning,
    addServer,
    addAgents,
    addReading,
    addProof,
    addKeeping,
    addCluster,
    addTrying,
  ])
    add({ group, command, asking })
  for (const each of askers) {
    each
      .option('--url <url>', 'the server to ask (default: REPRISE_URL, or the server that uses DATA_DIR)')
      .option('--token <token>', 'an access token (default: REPRISE_TOKEN, or the admin token of DATA_DIR)')
  }
  for (const each of commands) {
    each.option('--no-color', 'no colours (also NO_COLOR; FORCE_COLOR forces colours outside a terminal)')
  }
  return program
}
