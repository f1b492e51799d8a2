// The commands that ask a server: about tasks, environments, usage, tokens, cron jobs and webhooks.
import { type Adders, eachOf, later } from '../terminal/adding.ts'

const times = 'ISO 8601, or seconds since 1970'

/** Commands about tasks. */
const addTasks = ({ group, asking }: Adders): void => {
  const tasks = group('tasks', 'list, show, watch, cancel, pause and resume tasks', 'task')
  asking('list', 'list tasks, newest first', 'tasks list --status working,paused', tasks)
    .option('--user <id>', 'only tasks of this user')
    .option('--session <id>', 'only tasks of this chat session')
    .option('--status <statuses>', 'only tasks in one of these statuses, with commas between them', eachOf)
    .option('--agent <name>', 'only tasks of this agent')
    .option('--error <text>', 'only failed tasks whose error contains this text')
    .option('--since <time>', `only tasks that were created at this time or later (${times})`)
    .option('--until <time>', `only tasks that were created before this time (${times})`)
    .option('--subtasks', 'also the tasks of subagents')
    .option('--as-of <moment>', 'the tasks as they were: an ISO 8601 time, or position:N of the log')
    .option('--order <order>', 'desc (newest first) or asc (oldest first)')
    .option('--after <id>', 'begin after this task')
    .option('--limit <number>', 'the largest number of tasks', '20')
    .option('--json', 'print each task as a line of JSON')
    .action(later(async () => (await import('./tasks.ts')).listTasks))
  asking('get', 'show a task and its answer', 'tasks get task_01a1b2c3', tasks)
    .argument('<id>', 'the id of the task')
    .option(
      '--as-of <moment>',
      'the task as it was: a frame number, an ISO 8601 time, or position:N of the log',
    )
    .option('--json', 'print the task as JSON')
    .action(later(async () => (await import('./tasks.ts')).getTask))
  asking(
    'watch',
    'show a task from its beginning until it ends, also when the server is started again meanwhile',
    'tasks watch task_01a1b2c3',
    tasks,
  )
    .argument('<id>', 'the id of the task')
    .option('--after <frame>', 'begin after the frame with this number')
    .option('--json', 'print only the frames of the stream, each as a line of JSON')
    .action(later(async () => (await import('./tasks.ts')).watchTask))
  asking('cancel', 'cancel a task', 'tasks cancel task_01a1b2c3', tasks)
    .argument('<id>', 'the id of the task')
    .option('--json', 'print the task as JSON')
    .action(later(async () => (await import('./tasks.ts')).cancelTask))
  asking('pause', 'pause a task, until somebody resumes it', 'tasks pause task_01a1b2c3', tasks)
    .argument('<id>', 'the id of the task')
    .option('--json', 'print the task as JSON')
    .action(later(async () => (await import('./tasks.ts')).pauseTask))
  asking('resume', 'let a paused task go on', 'tasks resume task_01a1b2c3', tasks)
    .argument('<id>', 'the id of the task')
    .option('--json', 'print the task as JSON')
    .action(later(async () => (await import('./tasks.ts')).resumeTask))
}

/** The command about tokens of models. */
const addUsage = ({ asking }: Adders): void => {
  asking('usage', 'add up the model tokens that tasks have used', 'usage --by agent --since 2026-11-01')
    .option('--by <what>', 'user, agent, session or day', 'user')
    .option('--user <id>', 'only tasks of this user')
    .option('--session <id>', 'only tasks of this chat session')
    .option('--agent <name>', 'only tasks of this agent')
    .option('--since <time>', `only tasks created at this time or later (${times}; default: this month)`)
    .option('--until <time>', `only tasks created before this time (${times})`)
    .option('--json', 'print each sum as a line of JSON')
    .action(later(async () => (await import('./usage.ts')).usage))
}

/** Commands about environments. */
const addEnv = ({ group, asking }: Adders): void => {
  const env = group('env', 'list environments; make, use and close sessions of them')
  asking('kinds', 'list the kinds of environments, with their settings', 'env kinds', env)
    .option('--json', 'print each kind as a line of JSON')
    .action(later(async () => (await import('./env.ts')).listKinds))
  asking(
    'create',
    'make an environment session, and print its id alone on the first line',
    `env create gridworld --settings '{"width": 5, "height": 5}'`,
    env,
  )
    .argument('<kind>', 'a kind of environment, as reprise env kinds lists it')
    .option('--settings <json>', 'the settings of the environment, as a JSON object')
    .option('--session <id>', 'the id of the session (default: the server makes one)')
    .option('--user <id>', 'the user who will own the session')
    .option('--var <name=value>', 'a variable for the environment; repeat for more', eachOf)
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./env.ts')).createEnvSession))
  asking('list', 'list environment sessions, newest first', 'env list --active', env)
    .option('--user <id>', 'only sessions of this user')
    .option('--search <text>', 'only sessions with this text in their id, kind or user')
    .option('--active', 'only sessions that are not closed')
    .option('--after <id>', 'begin after this session')
    .option('--limit <number>', 'the largest number of sessions', '20')
    .option('--json', 'print each session as a line of JSON')
    .action(later(async () => (await import('./env.ts')).listSessions))
  asking('get', 'show an environment session', 'env get my-session', env)
    .argument('<id>', 'the id of the session')
    .option('--json', 'print the session as JSON')
    .action(later(async () => (await import('./env.ts')).getSession))
  asking(
    'step',
    'call a tool of an environment session',
    `env step my-session move '{"direction": "up"}'`,
    env,
  )
    .argument('<id>', 'the id of the session')
    .argument('<tool>', 'the name of the tool')
    .argument('[arguments]', 'the arguments of the tool, as a JSON object')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./env.ts')).stepSession))
  asking('observe', 'show the state and the tools of an environment session', 'env observe my-session', env)
    .argument('<id>', 'the id of the session')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./env.ts')).observeSession))
  asking('reset', 'begin an environment session again', 'env reset my-session --seed 7', env)
    .argument('<id>', 'the id of the session')
    .option('--seed <number>', 'the seed of the random numbers (default: the server draws one)')
    .option('--options <json>', 'options of the environment for a reset, as a JSON object')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./env.ts')).resetSession))
  asking('close', 'close an environment session', 'env close my-session', env)
    .argument('<id>', 'the id of the session')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./env.ts')).closeSession))
}

/** Commands that fork and compare tasks. */
const addForking = ({ asking }: Adders): void => {
  asking('fork', 'make a task with the past of another one, and print its id', 'fork task_01a1b2c3 --at 7')
    .argument('<task>', 'the id of the task')
    .requiredOption('--at <frame>', 'the number of the frame with which the past ends')
    .option('--agent <id>', 'the id of another agent')
    .option('--model <name>', 'another model')
    .option('--message <text>', 'a further message, which the next step sees')
    .option('--pause', 'let the fork wait until it is resumed')
    .option('--task-id <id>', 'the id of the fork (default: the server makes one)')
    .option('--json', 'print the fork as JSON')
    .action(later(async () => (await import('./fork.ts')).forkTask))
  asking('diff', 'say where two tasks differ; ids and times do not count', 'diff task_01a1b2c3 task_01d4e5f6')
    .argument('<task>', 'the id of one task')
    .argument('<other>', 'the id of the other task')
    .option('--json', 'print the comparison as JSON')
    .action(later(async () => (await import('./diff.ts')).diffTasks))
}

const addTokens = ({ group, asking }: Adders): void => {
  const token = group('token', 'make, list and revoke access tokens', 'tokens')
  asking(
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
    .action(later(async () => (await import('./token.ts')).createToken))
  asking('list', 'list tokens; the tokens themselves are never shown', 'token list', token)
    .option('--json', 'print each token as a line of JSON')
    .action(later(async () => (await import('./token.ts')).listTokens))
  asking('revoke', 'revoke a token', 'token revoke tok_01a1b2c3', token)
    .argument('<id|token>', 'the id of the token, or the token itself')
    .option('--json', 'print the id of the revoked token as JSON')
    .action(later(async () => (await import('./token.ts')).revokeToken))
}

/** Commands about cron jobs. */
const addCron = ({ group, asking }: Adders): void => {
  const cron = group('cron', 'make, list, run and delete cron jobs')
  asking('list', 'list cron jobs, newest first', 'cron list', cron)
    .option('--json', 'print each job as a line of JSON')
    .action(later(async () => (await import('./cron.ts')).listJobs))
  asking(
    'create',
    'make a cron job that sends a message to an agent',
    'cron create report --schedule "0 7 * * MON-FRI" --timezone Europe/Berlin "write the report"',
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
    .action(later(async () => (await import('./cron.ts')).createJob))
  asking('delete', 'delete a cron job', 'cron delete cron_01a1b2c3', cron)
    .argument('<id>', 'the id of the job')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./cron.ts')).deleteJob))
  asking('runs', 'list the runs of a cron job, newest first', 'cron runs cron_01a1b2c3', cron)
    .argument('<id>', 'the id of the job')
    .option('--json', 'print each run as a line of JSON')
    .action(later(async () => (await import('./cron.ts')).listRuns))
  asking('trigger', 'run a cron job now', 'cron trigger cron_01a1b2c3', cron)
    .argument('<id>', 'the id of the job')
    .option('--json', 'print the run as JSON')
    .action(later(async () => (await import('./cron.ts')).triggerJob))
}

/** Commands about webhooks. */
const addWebhooks = ({ group, asking }: Adders): void => {
  const webhooks = group('webhooks', 'make, list, test and delete webhooks', 'webhook')
  asking('list', 'list webhooks, oldest first; secrets are never shown', 'webhooks list', webhooks)
    .option('--json', 'print each webhook as a line of JSON')
    .action(later(async () => (await import('./webhooks.ts')).listWebhooks))
  asking(
    'create',
    'make a webhook, and print its secret alone on the last line',
    'webhooks create https://hooks.example.com/reprise --type TaskStatusChanged',
    webhooks,
  )
    .argument('<url>', 'the URL to which events are sent')
    .option('--type <types>', 'only events of these types, with commas between them', eachOf)
    .option('--session <id>', 'only events of this session')
    .option('--task <id>', 'only events of this task')
    .option('--json', 'print the webhook and its secret as JSON')
    .action(later(async () => (await import('./webhooks.ts')).createWebhook))
  asking('delete', 'delete a webhook and its secret', 'webhooks delete wh_01a1b2c3', webhooks)
    .argument('<id>', 'the id of the webhook')
    .option('--json', 'print the answer as JSON')
    .action(later(async () => (await import('./webhooks.ts')).deleteWebhook))
  asking('test', 'send a test to a webhook, and print how it ended', 'webhooks test wh_01a1b2c3', webhooks)
    .argument('<id>', 'the id of the webhook')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./webhooks.ts')).testWebhook))
  asking(
    'deliveries',
    'list the deliveries of a webhook, newest first',
    'webhooks deliveries wh_01a1b2c3',
    webhooks,
  )
    .argument('<id>', 'the id of the webhook')
    .option('--json', 'print each delivery as a line of JSON')
    .action(later(async () => (await import('./webhooks.ts')).listDeliveries))
  asking('redeliver', 'send an event once more', 'webhooks redeliver wh_01a1b2c3 1204', webhooks)
    .argument('<id>', 'the id of the webhook')
    .argument('<event>', 'the id of the event')
    .option('--json', 'print the result as JSON')
    .action(later(async () => (await import('./webhooks.ts')).redeliver))
}

export const addServer = (adders: Adders): void => {
  for (const add of [addTasks, addForking, addUsage, addEnv, addTokens, addCron, addWebhooks]) add(adders)
}
