// Every command with its arguments, its options and an example; and a slip of the hand told in one line.
import { Command } from 'commander'
import { version } from '../platform/version.ts'

const footer = `
Exit codes: 0 ok, 1 the answer is no, 2 usage or configuration, 3 server not reached, 130 Ctrl-C
Each command has its own help: reprise tail --help`

/** What is wrong, and what was meant or can be typed. */
const slipOf = (command: Command, text: string): string => {
  const [slip, meant] = text
    .replace(/^error: /, '')
    .replace(/\.?\s*$/, '')
    .split('\n')
  return `reprise: ${slip}${meant === undefined ? `; usage: ${command.createHelp().commandUsage(command)}` : ` ${meant}`}\n`
}

/** A command loads what it needs when it is called. */
const later =
  <Args extends unknown[]>(load: () => Promise<(...args: Args) => unknown>) =>
  async (...args: Args): Promise<void> => {
    await (await load())(...args)
  }

const told = (command: Command): Command =>
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(slipOf(command, text)) })

type Adders = {
  group(name: string, about: string): Command
  command(name: string, about: string, example: string, parent?: Command): Command
}

const addRunning = ({ command }: Adders): void => {
  command('serve', 'start the server (configured by environment variables)', 'serve --port 8081')
    .option('--port <port>', 'where it listens (default: PORT, or 8080)')
    .option('--host <host>', 'on which address (default: HOST, or 127.0.0.1)')
    .option('--data <folder>', 'where its data is (default: DATA_DIR, or ./data)')
    .option('--accept-loss', 'go on with a log that has lost events which it acknowledged')
    .action(later(async () => (await import('./serve.ts')).serve))
  command(
    'try',
    'run a task and follow it here, with the running server or without one',
    'try "what is 2+3*4?"',
  )
    .argument('<question>', 'what the agent is asked')
    .option('--agent <id>', 'which agent (default: as the server decides)')
    .option('--session <id>', 'the conversation that it belongs to')
    .option('--json', 'print each frame of the stream as a line of JSON, and nothing else')
    .action(later(async () => (await import('./try.ts')).tryTask))
}

/** Commands that read the log and the read models, beside a running server too. */
const addReading = ({ command }: Adders): void => {
  command(
    'tail',
    'follow public events as they are appended, from the log file',
    'tail --since earliest --type TaskStatusChanged',
  )
    .option(
      '--since <position>',
      'begin after this position, or with the "earliest" (default: with what comes)',
    )
    .option('--type <types...>', 'only events of these types')
    .option('--task <id>', 'only events of this task')
    .option('--session <id>', 'only events of this session')
    .option('--user <id>', 'only events of this user')
    .option('--json', 'print each event as a line of JSON')
    .action(later(async () => (await import('./tail.ts')).tail))
  command(
    'history',
    'print the stored events of a task or of an environment session, one a line',
    'history task_01a1b2c3',
  )
    .argument('<id>', 'which one')
    .option('--json', 'print each event as a line of JSON: position, header, data')
    .action(later(async () => (await import('./history.ts')).history))
  command('replay', 'fold stored events again and compare with what the read models say', 'replay --all')
    .argument('[task]', 'the id of one task')
    .option('--all', 'every event of the log and every row of the read models')
    .option('--json', 'print the verdict as JSON')
    .action(later(async () => (await import('./replay.ts')).replay))
}

/** Commands for whoever keeps the data folder. */
const addKeeping = ({ command }: Adders): void => {
  command('rebuild', 'throw the read models away and make them from the log; no server may run', 'rebuild')
    .option('--json', 'print what was made as JSON')
    .action(later(async () => (await import('./rebuild.ts')).rebuild))
  command('backup', 'copy the log, beside a running server too, and check the copy', 'backup monday.db')
    .argument('<file>', 'the copy, which must not be there yet')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print what was copied as JSON')
    .action(later(async () => (await import('./backup.ts')).backup))
  command(
    'restore',
    'make a data folder from a backup, once it is checked; no server may run',
    'restore monday.db   # into DATA_DIR',
  )
    .argument('<file>', 'a file that reprise backup made')
    .option('--force', 'replace the log of the folder if there is one')
    .option('--json', 'print what was restored as JSON')
    .action(later(async () => (await import('./restore.ts')).restoreFile))
}

const addTokens = ({ group, command }: Adders): void => {
  const token = group('token', 'make, list and revoke access tokens')
  command(
    'create',
    'print a new token, alone on the last line of stdout',
    'token create --role user --user-id alice',
    token,
  )
    .requiredOption('--role <role>', 'admin, user, auditor or subscriber')
    .option('--user-id <id>', 'the only user it stands for (default: all users)')
    .option('--ttl <seconds>', 'how long it is valid (default: for ever)')
    .option('--json', 'print the token and what is known of it as JSON')
    .action(later(async () => (await import('./token.ts')).createToken))
  command('list', 'list tokens; the tokens themselves are never shown', 'token list', token)
    .option('--json', 'print each token as a line of JSON')
    .action(later(async () => (await import('./token.ts')).listTokens))
  command('revoke', 'revoke a token', 'token revoke tok_01a1b2c3', token)
    .argument('<id|token>', 'its id, or the token itself')
    .option('--json', 'print the id of what was revoked as JSON')
    .action(later(async () => (await import('./token.ts')).revokeToken))
}

/** A model and a demonstration to try things with. */
const addTrying = ({ group, command }: Adders): void => {
  const model = group('model', 'models to try things with')
  command(
    'fake',
    'start a model that plays a script, for tests; OpenAI-compatible, without a key',
    'model fake --port 8090',
    model,
  )
    .option('--port <port>', 'where it listens', '8090')
    .option('--host <host>', 'on which address', '127.0.0.1')
    .option('--script <file>', 'a JSON list of answers, used in order (default: it finds its own)')
    .action(later(async () => (await import('./model-fake.ts')).fakeModel))

  const demo = group('demo', 'see what is promised')
  command(
    'crash',
    'kill a server in the middle of a stream, start it again, and see the stream go on',
    'demo crash',
    demo,
  )
    .option('--keep', 'keep the data folder, to look into it')
    .option('--json', 'print the verdict as JSON, and nothing else')
    .action(later(async () => (await import('./demo/crash.ts')).demoCrash))
}

export const createProgram = (): Command => {
  const program = told(new Command('reprise'))
    .description('runs agent tasks on an append-only event log')
    .version(version)
    .addHelpText('after', footer)
  const group = (name: string, about: string) => told(program.command(name)).description(about)
  const commands: Command[] = []
  const command = (name: string, about: string, example: string, parent = program) => {
    const made = told(parent.command(name)).description(about)
    commands.push(made)
    return made.addHelpText('after', `\nExample:\n  reprise ${example}`)
  }

  // In the order of the help.
  for (const add of [addRunning, addReading, addKeeping, addTokens, addTrying]) add({ group, command })
  for (const each of commands) {
    each.option('--no-color', 'no colours (also NO_COLOR; FORCE_COLOR: colours where no terminal is)')
  }
  return program
}
