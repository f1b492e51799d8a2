// The commands that prove what the log holds, to people who do not trust the server.
import { type Adders, eachOf, later } from '../terminal/adding.ts'

/** Commands that only read the log. */
const addProving = ({ command }: Adders): void => {
  command(
    'verify',
    'verify a data folder, a backup or an export, without a server',
    'verify --checkpoint monday.txt',
  )
    .argument('[path]', 'a data folder, a backup or an export (default: DATA_DIR)')
    .option(
      '--checkpoint <file>',
      'checkpoints that you kept, with which the log must agree; give it once for each file',
      eachOf,
    )
    .option('--key <vkey>', 'the key that must have signed (default: every key that the log names)')
    .option('--json', 'print the verdict as JSON')
    .action(later(async () => (await import('./verify.ts')).verify))
  command(
    'export',
    'write a history with its proofs, for people who have no server',
    'export task_01a1b2c3 --out history.tar.gz',
  )
    .argument('[task]', 'the id of one task')
    .option('--session <id>', 'everything of a chat session or an environment session')
    .option('--user <id>', 'everything of a user')
    .option('--all', 'the whole log')
    .option('--html', 'make one page, which shows and verifies the history in a browser without a server')
    .requiredOption(
      '--out <path>',
      'the folder to make; with .tar.gz at its end, an archive; with --html, a file .html',
    )
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./export.ts')).exportHistory))
}

/** Commands about checkpoints of the log. */
const addAudit = ({ group, command, asking }: Adders): void => {
  const audit = group('audit', 'manage the key that signs checkpoints of the log')
  asking(
    'rotate-key',
    'change the key that signs checkpoints, and print the new one',
    'audit rotate-key',
    audit,
  )
    .option('--json', 'print the new key as JSON')
    .action(later(async () => (await import('../server/audit.ts')).rotateKey))
  command(
    'witness',
    'serve a witness, which signs checkpoints of logs that prove that they only grew',
    'witness --state witness.json --key witness.key --log "$(cat log.vkey)" 127.0.0.1:8091',
  )
    .argument('[host:port]', 'where to listen', '127.0.0.1:8091')
    .requiredOption('--state <file>', 'the file in which the witness keeps what it signed')
    .requiredOption('--key <file>', 'the file with the key of the witness; it is made if it does not exist')
    .requiredOption(
      '--log <vkey>',
      'the key of a log, as GET /v1/audit/public-key shows it; give it once for each log',
      eachOf,
    )
    .option('--name <name>', 'the name of a new key', 'reprise-witness')
    .action(later(async () => (await import('./witness.ts')).runWitness))
}

/** The command that destroys content. */
const addErasing = ({ asking }: Adders): void => {
  asking(
    'erase',
    'destroy the content of a task, a session or a user; proofs still hold',
    "erase user anna --reason 'asked for it on 3 May'",
  )
    .argument('<kind>', 'task, session or user')
    .argument('<id>', 'its id')
    .requiredOption('--reason <text>', 'why; the log keeps it')
    .option('--cascade', 'also what contains the same content, such as forks and later tasks that quote it')
    .option('--user <id>', 'the user of the session, if several users have a session with this id')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('../server/erase.ts')).erase))
}

export const addProof = (adders: Adders): void => {
  addProving(adders)
  addAudit(adders)
  addErasing(adders)
}
