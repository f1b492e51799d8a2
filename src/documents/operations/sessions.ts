// The operations on the records of environment sessions.
import Type from 'typebox'
import { Erasure } from '../../contract/audit-responses.ts'
import { CleanedSessions, DeletedSession, SessionList, SessionMachine } from '../../contract/responses.ts'
import { EnvSession } from '../../contract/wire.ts'
import { defineOperations, json } from '../operation.ts'
import { query, sessionId, text } from '../parameters.ts'
import { erasing } from './erasures.ts'

const session = {
  session_id: 'maze',
  user_id: 'default',
  client_id: 'default',
  env_id: 'gridworld',
  env_vars: {},
  is_active: true,
  created_at: 1795254634,
  last_accessed_at: 1795254640,
  kind: 'gridworld',
}

export const sessionOperations = defineOperations({
  listSessions: {
    method: 'GET',
    path: '/v1/env/sessions',
    tag: 'Environments',
    access: 'read',
    summary: 'List sessions',
    about:
      'All sessions that the token reaches, including closed ones, in the order of their creation. With `limit`, a page of the newest ones, newest first; the other parameters then choose among them.',
    parameters: [
      query('user_id', text, 'Only sessions of this user.'),
      query(
        'limit',
        Type.Integer({ minimum: 1, maximum: 1000 }),
        'The largest number of sessions. Absent: all of them.',
      ),
      query('starting_after', text, 'With `limit`: the id of a session; the page begins after it.'),
      query(
        'search',
        text,
        'With `limit`: a part of the id, of the environment or of the user, in upper or lower case.',
      ),
      query('state', Type.Enum(['active']), 'With `limit`: only sessions that are not closed.'),
    ],
    answers: [
      {
        status: 200,
        about: 'The sessions.',
        type: json,
        schema: SessionList,
        examples: { one: { sessions: [session], total: 1 } },
      },
    ],
  },
  getSession: {
    method: 'GET',
    path: '/v1/env/session/{session_id}',
    tag: 'Environments',
    access: 'read',
    summary: 'Get a session',
    about: 'The record of the session, also after it was closed.',
    parameters: [sessionId],
    answers: [
      {
        status: 200,
        about: 'The record.',
        type: json,
        schema: EnvSession,
        examples: { active: session },
      },
    ],
    refusals: ['SessionNotFound'],
  },
  deleteSession: {
    method: 'DELETE',
    path: '/v1/env/session/{session_id}',
    tag: 'Environments',
    access: 'remove',
    summary: 'Delete a session',
    about:
      'If the session is active, the server closes it first. The events of the session stay in the log, for auditors. Only the same user can create a session with this id again. With `erase`, the server destroys the content of these events and of all tasks of the session; a chat session without an environment can be erased, too.',
    parameters: [
      sessionId,
      ...erasing,
      query(
        'user_id',
        text,
        'With `erase`: the user of the session, if several users have a session with this id.',
      ),
    ],
    answers: [
      {
        status: 200,
        about: 'The session is deleted. With `erase`: what was erased.',
        type: json,
        schema: Type.Union([DeletedSession, Erasure]),
        examples: {
          deleted: { status: 'deleted', session_id: 'maze', message: 'session maze is deleted' },
        },
      },
    ],
    refusals: ['SessionNotFound', 'NotErasable', 'ErasureUnfinished'],
  },
  getSessionMachine: {
    method: 'GET',
    path: '/v1/env/session/{session_id}/machine',
    tag: 'Environments',
    access: 'read',
    summary: 'Get the state machine of a session',
    about: 'The statechart, the present state of the session in it, and the events that may follow.',
    parameters: [sessionId],
    answers: [{ status: 200, about: 'The state machine.', type: json, schema: SessionMachine }],
    refusals: ['SessionNotFound'],
  },
  cleanUpSessions: {
    method: 'POST',
    path: '/v1/env/sessions/cleanup',
    tag: 'Environments',
    access: 'write',
    summary: 'Close sessions that nobody uses',
    about:
      'Closes each session that nobody created, stepped, reset or observed within the last `inactive_seconds`. It does not close a session with a running step, or a session that an unfinished task names. The server does the same every five minutes.',
    parameters: [
      query(
        'inactive_seconds',
        Type.Integer({ minimum: 0 }),
        'The number of seconds without use after which a session is closed. If it is absent, the operator’s setting applies, which is an hour by default.',
      ),
    ],
    answers: [
      {
        status: 200,
        about: 'The sessions that were closed.',
        type: json,
        schema: CleanedSessions,
        examples: { one: { status: 'ok', cleaned_count: 1, cleaned_sessions: ['maze'] } },
      },
    ],
  },
})
