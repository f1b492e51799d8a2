// Tokens, tickets, and the health of the server.
import * as answers from '../../contract/responses.ts'
import type { Components } from '../component.ts'

const ofToken = {
  id: 'The id of the token, which is no secret.',
  role: 'The role, which decides what the token may do.',
  user_id: 'The user whose tasks it reaches; null: those of all users.',
  expires_at: 'Unix seconds; null: never.',
}

export const accessComponents: Components = {
  Ticket: {
    schema: answers.Ticket,
    about: 'A ticket for a stream.',
    fields: { ticket: 'For `?ticket=`.', expires_in: 'Seconds within which it must be used.' },
  },
  CreatedToken: {
    schema: answers.CreatedToken,
    about: 'A token, shown this once.',
    fields: { ...ofToken, token: 'The token itself. The server stores only its hash.' },
  },
  TokenInfo: {
    schema: answers.TokenInfo,
    about: 'A token as it is listed.',
    fields: { ...ofToken, created_at: 'Unix seconds.' },
  },
  TokenList: {
    schema: answers.TokenList,
    about: 'The tokens that have not been revoked.',
    fields: { tokens: 'Oldest first.' },
  },
  RevokedToken: {
    schema: answers.RevokedToken,
    about: 'A token that no longer works.',
    fields: { status: 'Always `revoked`.', id: 'Its id.' },
  },
  Health: { schema: answers.Health, about: 'The process is alive.', fields: { status: 'Always `ok`.' } },
  Readiness: {
    schema: answers.Readiness,
    about: 'Whether the server can take work.',
    fields: {
      status: 'The answer.',
      log: '`failing`: nothing can be written at the moment.',
      read_models: '`behind`: lists are catching up with the log.',
      sandbox:
        'The sandbox of shell commands in workspaces: `bubblewrap`; `limits` without a sandbox, where the operator allows that; ' +
        '`refused`: there is no sandbox, and the environment `workspace` cannot be used.',
      own_users:
        'Which environments run with user ids of their own, where the server runs as root: `all`, `some` or `none`; the ' +
        "others have the server's.",
      position: 'The last position of the log.',
      tasks: 'Tasks by status; `running` and `waiting` count occupied places, and tasks that wait for one.',
    },
  },
}
