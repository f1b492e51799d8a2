// Tokens, tickets, and the health of the server.
import * as answers from '../../contract/responses.ts'
import type { Components } from '../component.ts'
import { listFields } from './list-fields.ts'

const ofToken = {
  id: 'The id of the token, which is no secret.',
  role: 'The role, which decides what the token may do.',
  user_id: 'The user whose objects the token reaches; null if the token reaches those of all users.',
  expires_at: 'When the token expires, in Unix seconds; null if it never expires.',
}

const nameOfToken = 'What the maker of the token calls it; null if it has no name.'

export const accessComponents: Components = {
  Ticket: {
    schema: answers.Ticket,
    about: 'A ticket for a stream, or for a one-time link to the console.',
    fields: {
      ticket:
        'For a stream: the value of `?ticket=` in its address. For a link: the part of `/ui#login=` after the equals sign.',
      expires_in: 'The number of seconds within which the ticket must be used.',
    },
  },
  OwnToken: {
    schema: answers.OwnToken,
    about: 'The token of this request.',
    fields: {
      ...ofToken,
      id: 'The id of the token, which is no secret. The token of `ADMIN_TOKEN` has the id `admin`.',
    },
  },
  CreatedToken: {
    schema: answers.CreatedToken,
    about: 'A new token. The server shows the token itself only in this answer.',
    fields: { ...ofToken, name: nameOfToken, token: 'The token itself. The server stores only its hash.' },
  },
  TokenInfo: {
    schema: answers.TokenInfo,
    about: 'An entry in the list of tokens.',
    fields: {
      ...ofToken,
      name: nameOfToken,
      created_at: 'When the token was created, in Unix seconds.',
      last_used_at:
        'When a request or a stream last used the token, in Unix seconds; null if none has since `uses_since`.',
    },
  },
  TokenList: {
    schema: answers.TokenList,
    about: 'The tokens that have not been revoked.',
    fields: {
      ...listFields,
      data: 'The tokens, oldest first.',
      uses_since:
        'Since when the server has noted uses of tokens, in Unix seconds. It keeps them in memory, so this is its last start.',
    },
  },
  RevokedToken: {
    schema: answers.RevokedToken,
    about: 'A token that no longer works.',
    fields: { status: 'Always `revoked`.', id: 'The id of the token.', message: 'The same in words.' },
  },
  Health: { schema: answers.Health, about: 'The process is alive.', fields: { status: 'Always `ok`.' } },
  Readiness: {
    schema: answers.Readiness,
    about: 'Whether the server can accept work.',
    fields: {
      status: '`ready` or `not ready`.',
      log: '`failing`: nothing can be written to the log at the moment.',
      read_models: '`behind`: lists are catching up with the log.',
      sandbox:
        'The sandbox of shell commands in workspaces. `bubblewrap`: commands run inside it. `limits`: there is no sandbox, and the operator allows commands without one. ' +
        '`refused`: there is no sandbox, and the environment `workspace` cannot be used.',
      own_users:
        'Which environments run with user ids of their own, if the server runs as root: `all`, `some` or `none`. The ' +
        "others run with the server's user id.",
      position: 'The last position of the log.',
      tasks:
        'The number of tasks in each status. `running` is the number of occupied places for tasks, `waiting` the number of tasks that wait for a place.',
      cluster:
        'On a cluster: the name of this node, whether it owns the shard, and the name of the node that owns it (null while none does).',
    },
  },
  MetricSamples: {
    schema: answers.MetricSamples,
    about: 'What the server did in the past hour, as far as it has run.',
    fields: {
      ...listFields,
      data: 'The samples, oldest first.',
      every_seconds: 'The number of seconds between two samples.',
    },
  },
  MetricSample: {
    schema: answers.MetricSample,
    about: 'What the server did since the sample before.',
    fields: {
      at: 'When the sample was taken, in Unix seconds.',
      events_per_second: 'Events stored, a second.',
      requests_per_second: 'Requests that ended, a second.',
      lag_positions: 'Events that the lists have not applied yet.',
      memory_bytes: 'The memory of the process (resident set).',
      loop_p99_seconds: 'By how much the event loop was late, in the worst of 100 cases.',
    },
  },
  StandbyReadiness: {
    schema: answers.StandbyReadiness,
    about: 'Whether a node that does not own the shard could take over.',
    fields: {
      status: '`ready`: the node follows the log, and could take over. `not ready`: it could not yet.',
      read_models: '`behind`: the lists of this node are catching up with its copy of the log.',
      position: "The last position of this node's copy of the log.",
      cluster: 'The name of this node, its role, and the name of the node that owns the shard.',
    },
  },
}
