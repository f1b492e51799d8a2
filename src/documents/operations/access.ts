// Tokens and tickets.
import { CreatedToken, RevokedToken, Ticket, TokenList } from '../../contract/responses.ts'
import { CreateTokenBody, StreamTicketBody } from '../../contract/wire.ts'
import { defineOperations, json } from '../operation.ts'
import { tokenId } from '../parameters.ts'

export const accessOperations = defineOperations({
  createStreamTicket: {
    method: 'POST',
    path: '/v1/auth/stream-ticket',
    tag: 'Access',
    access: 'follow',
    summary: 'Get a ticket for a stream',
    about:
      'For browsers, whose `EventSource` cannot send a header: `?ticket=` on an event stream. It must be used within a minute; then it serves the reconnects of that stream, one connection at a time, until its token ends or a day has passed. On `/ws` it subscribes; to send commands there too, request it with `{"for": "socket"}`.',
    body: {
      schema: StreamTicketBody,
      isOptional: true,
      examples: {
        stream: { summary: 'A stream', value: {} },
        socket: { summary: 'A WebSocket that commands', value: { for: 'socket' } },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The ticket.',
        type: json,
        schema: Ticket,
        examples: { ticket: { ticket: 'rt_…', expires_in: 60 } },
      },
    ],
  },
  createToken: {
    method: 'POST',
    path: '/v1/auth/tokens',
    tag: 'Access',
    access: 'manage',
    summary: 'Create a token',
    about: 'The token is shown only in this answer. An admin of one user makes tokens of that user.',
    body: {
      schema: CreateTokenBody,
      examples: {
        user: { summary: 'A user, for a day', value: { role: 'user', user_id: 'alice', ttl: 86400 } },
        auditor: { summary: 'Somebody who reads everything', value: { role: 'auditor' } },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The token.',
        type: json,
        schema: CreatedToken,
        examples: {
          user: { id: 'tok_1', token: 'rp_…', role: 'user', user_id: 'alice', expires_at: 1795317806 },
        },
      },
    ],
  },
  listTokens: {
    method: 'GET',
    path: '/v1/auth/tokens',
    tag: 'Access',
    access: 'manage',
    summary: 'List tokens',
    about: 'The list does not contain the tokens themselves: the server stores only their hashes.',
    answers: [{ status: 200, about: 'The tokens.', type: json, schema: TokenList }],
  },
  revokeToken: {
    method: 'DELETE',
    path: '/v1/auth/tokens/{token_id}',
    tag: 'Access',
    access: 'manage',
    summary: 'Revoke a token',
    about: 'The token stops working at once.',
    parameters: [tokenId],
    answers: [{ status: 200, about: 'The token is revoked.', type: json, schema: RevokedToken }],
    refusals: ['TokenNotFound'],
  },
})
