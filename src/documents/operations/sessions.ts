// The operations of environment sessions: their records.
import Type from 'typebox'
import { CleanedSessions, DeletedSession, SessionList, SessionMachine } from '../../contract/responses.ts'
import { EnvSession } from '../../contract/wire.ts'
import { defineOperations, json } from '../operation.ts'
import { query, sessionId, text } from '../parameters.ts'

const session = {
  session_id: 'maze',
  user_id: 'default',
  client_id: 'default',
  env_id: 'gridworld',
  env_vars: {},
  is_active: true,
  created_at: 1795254634,
  last_accessed_at: 1795254640,
}

export const sessionOperations = defineOperations({
  listSessions: {
    method: 'GET',
    path: '/v1/env/sessions',
    tag: 'Environments',
    access: 'read',
    summary: 'List sessions',
    about: 'All sessions that the token reaches, including closed ones, in the order of their creation.',
    parameters: [query('user_id', text, 'Sessions of this user.')],
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
    access: 'write',
    summary: 'Delete a session',
    about:
      'Closes it first if it is active. Its events stay in the log, for auditors; its id is not used again.',
    parameters: [sessionId],
    answers: [
      {
        status: 200,
        about: 'The session is deleted.',
        type: json,
        schema: DeletedSession,
        examples: {
          deleted: { status: 'deleted', session_id: 'maze', message: 'session maze is deleted' },
        },
      },
    ],
    refusals: ['SessionNotFound'],
  },
  getSessionMachine: {
    method: 'GET',
    path: '/v1/env/session/{session_id}/machine',
    tag: 'Environments',
    access: 'read',
    summary: 'Get the state machine of a session',
    about: 'The statechart, the present state of the session in it, and the events that may follow.',
    parameters: [sessionId],
    answers: [{ status: 200, about: 'The machine.', type: json, schema: SessionMachine }],
    refusals: ['SessionNotFound'],
  },
  cleanUpSessions: {
    method: 'POST',
    path: '/v1/env/sessions/cleanup',
    tag: 'Environments',
    access: 'write',
    summary: 'Close sessions that nobody uses',
    about:
      'Closes sessions that were not created, stepped, reset or observed for so long; never a session with a running step, or one that an unfinished task names. The server does the same every five minutes.',
    parameters: [
      query(
        'inactive_seconds',
        Type.Integer({ minimum: 0 }),
        'Seconds without use; absent: the operator’s setting, an hour by default.',
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
