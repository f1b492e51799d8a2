// The operations on tokens and tickets.
import { CreatedToken, OwnToken, RevokedToken, Ticket, TokenList } from '../../contract/responses.ts'
import { CreateTokenBody, LoginBody, StreamTicketBody } from '../../contract/wire.ts'
import { defineOperations, json } from '../operation.ts'
import { pages, tokenId } from '../parameters.ts'

export const accessOperations = defineOperations({
  createStreamTicket: {
    method: 'POST',
    path: '/v1/auth/stream-ticket',
    tag: 'Access',
    access: 'follow',
    summary: 'Get a ticket for a stream',
    about:
      'A ticket replaces the token in the address of a stream (`?ticket=`), because the `EventSource` of a browser cannot send a header. A client must use the ticket within a minute. Then the ticket is valid for the reconnects of that stream, one connection at a time, until its token expires or is revoked, or a day has passed. On `/ws` a client with a ticket can only subscribe. To send commands there too, request the ticket with `{"for": "socket"}`.',
    body: {
      schema: StreamTicketBody,
      isOptional: true,
      examples: {
        stream: { summary: 'A stream', value: {} },
        socket: { summary: 'A WebSocket that may send commands', value: { for: 'socket' } },
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
  createLoginTicket: {
    method: 'POST',
    path: '/v1/auth/login-ticket',
    tag: 'Access',
    access: 'manage',
    summary: 'Get a one-time link to the console',
    about:
      'A ticket for a link to the console, `/ui#login=<ticket>`. The console exchanges it for a token. A ticket can be used once, within a minute. A restart of the server ends it.',
    answers: [
      {
        status: 200,
        about: 'The ticket.',
        type: json,
        schema: Ticket,
        examples: { ticket: { ticket: 'rl_…', expires_in: 60 } },
      },
    ],
  },
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    tag: 'Access',
    access: 'open',
    summary: 'Exchange the ticket of a one-time link for a token',
    about:
      'The new token has the role `admin` and expires after 12 hours. It reaches the same objects as the token that asked for the ticket. The console revokes the new token when its user signs out.',
    body: {
      schema: LoginBody,
      examples: { link: { summary: 'The ticket of a link', value: { ticket: 'rl_…' } } },
    },
    answers: [
      {
        status: 200,
        about: 'The token.',
        type: json,
        schema: CreatedToken,
        examples: {
          admin: {
            id: 'tok_1',
            token: 'rp_…',
            role: 'admin',
            name: 'One-time link to the console',
            user_id: null,
            expires_at: 1795361006,
          },
        },
      },
    ],
    refusals: ['Unauthenticated'],
  },
  getOwnToken: {
    method: 'GET',
    path: '/v1/auth/token',
    tag: 'Access',
    access: 'follow',
    summary: 'What is the token of this request?',
    about: 'The role, the user and the end of the token with which the request is made.',
    answers: [
      {
        status: 200,
        about: 'The token.',
        type: json,
        schema: OwnToken,
        examples: { user: { id: 'tok_1', role: 'user', user_id: 'alice', expires_at: null } },
      },
    ],
  },
  createToken: {
    method: 'POST',
    path: '/v1/auth/tokens',
    tag: 'Access',
    access: 'manage',
    summary: 'Create a token',
    about:
      'The server shows the token only in this answer. An admin whose own token belongs to one user can create tokens of that user only.',
    body: {
      schema: CreateTokenBody,
      examples: {
        user: {
          summary: 'A user, for a day',
          value: { role: 'user', name: 'CI of alice', user_id: 'alice', ttl: 86400 },
        },
        auditor: { summary: 'An auditor, who may read everything', value: { role: 'auditor' } },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The token.',
        type: json,
        schema: CreatedToken,
        examples: {
          user: {
            id: 'tok_1',
            token: 'rp_…',
            role: 'user',
            name: 'CI of alice',
            user_id: 'alice',
            expires_at: 1795317806,
          },
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
    about:
      'The list does not contain the tokens themselves: the server stores only their hashes. It says when each token was last used, as far as the server knows since its start.',
    parameters: pages(1000, 100, 'tokens'),
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
