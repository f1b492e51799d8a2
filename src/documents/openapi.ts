// The interface as an OpenAPI 3.1 document, from the table of operations and the TypeBox values that validate requests.
import { rolesOf } from '../access/roles.ts'
import { apiVersion } from '../contract/responses.ts'
import { headerComponents, headersWith } from './headers.ts'
import { type Answer, type Operation, type Parameter, tags } from './operation.ts'
import { operations } from './operations.ts'
import { requestId } from './parameters.ts'
import { type Refused, refusedAnswers } from './refused.ts'
import { type Json, schemaWriter } from './schemas.ts'

type Schemas = ReturnType<typeof schemaWriter>

const contentOf = ({ schema, items, examples }: Answer, schemas: Schemas): Json => ({
  schema: schema === undefined ? { type: 'string' } : schemas.of(schema),
  // The OpenAPI 3.2 keyword for the schema of each event or line.
  ...(items && { 'x-itemSchema': schemas.of(items) }),
  ...(examples && {
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  }),
})

/** The answers of an operation, by status. Answers of several media types may share one status. */
const answersOf = ({ answers }: Operation, schemas: Schemas) =>
  [...new Set(answers.map(({ status }) => status))].map((status): Refused => {
    const same = answers.filter(answer => answer.status === status)
    const content = same.flatMap(answer => (answer.type ? [[answer.type, contentOf(answer, schemas)]] : []))
    const response = {
      description: same.map(answer => answer.about).join('\n\n'),
      headers: headersWith(same.flatMap(answer => answer.headers ?? [])),
      ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
    }
    return { status, response }
  })

export const introduction = `Agent tasks on an append-only event log.

- Every operation below \`/v1\`, and \`/api/events\`, needs a token: \`Authorization: Bearer <token>\`. The first start of the server stores the admin’s token in \`data/admin-token\`. If a request names an object that its token does not reach, the server answers 404, as for an object that does not exist.
- The body of a 4xx or 5xx answer is a JSON-RPC error object, which is in an envelope if the operation answers in envelopes. Its \`data.hint\` says what to do, and \`data.docs\` leads to the part of the page \`/docs\` that explains the error. The body of a 422 lists every problem of the request. An unknown path is 404 \`-32601\`; a method that a path does not have is 405 \`-32601\` with \`Allow\`. \`HEAD\` gets the same headers as \`GET\`, without a body.
- The server ignores unknown fields of requests. Later versions may add fields to answers: ignore the fields that you do not know.
- The AsyncAPI document, \`/asyncapi.json\`, describes the streams in full.`

const securitySchemes: Json = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token: the admin’s token, or a token that `createToken` made.',
  },
  ticket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description:
      'A ticket, with which a browser can open a stream without a token. `createStreamTicket` makes tickets.',
  },
}

const securityOf = ({ access, method }: Operation): Json[] =>
  access === 'open'
    ? []
    : [{ token: [] }, ...(access === 'follow' && method === 'GET' ? [{ ticket: [] }] : [])]

/** The named responses that several operations have. Throws when different responses have one name. */
const sharedOf = (answers: Refused[]): Record<string, Json> => {
  const counts = new Map<string, { response: Json; count: number }>()
  for (const { name, response } of answers) {
    if (name === undefined) continue
    const known = counts.get(name) ?? { response, count: 0 }
    if (JSON.stringify(known.response) !== JSON.stringify(response)) {
      throw new Error(`two different answers have the name ${name}: give one of them another name`)
    }
    counts.set(name, { response, count: known.count + 1 })
  }
  const shared = [...counts].filter(([, { count }]) => count > 1)
  return Object.fromEntries(shared.map(([name, { response }]) => [name, response]))
}

/** `publicUrl`: where clients reach the server, if the server knows it. */
export const openApi = (publicUrl?: string): Json => {
  const schemas = schemaWriter('#/components/schemas/', { tagged: true })

  const parameterOf = ({ in: where, name, schema, about }: Parameter): Json => ({
    in: where,
    name,
    description: about,
    ...(where === 'path' ? { required: true } : {}),
    schema: schemas.of(schema),
  })

  const answered = operations.map(operation => ({
    operation,
    answers: [...answersOf(operation, schemas), ...refusedAnswers(operation, schemas)],
  }))
  const responses = sharedOf(answered.flatMap(({ answers }) => answers))
  const place = ({ name, response }: Refused): Json =>
    name !== undefined && name in responses ? { $ref: `#/components/responses/${name}` } : response

  const operationOf = (operation: Operation, answers: Refused[]): Json => {
    const { id, tag, summary, access, body, parameters = [] } = operation
    const roles = rolesOf[access]
    const forWhom = roles.length === 0 ? 'Needs no token.' : `For the roles ${roles.join(', ')}.`
    answers.sort((a, b) => a.status - b.status)
    return {
      operationId: id,
      tags: [tag],
      summary,
      description: `${operation.about}\n\n${forWhom}`,
      security: securityOf(operation),
      parameters: [...parameters.map(parameterOf), { $ref: '#/components/parameters/RequestId' }],
      ...(body && {
        requestBody: {
          required: body.isOptional !== true,
          content: { 'application/json': { schema: schemas.of(body.schema), examples: body.examples } },
        },
      }),
      responses: Object.fromEntries(answers.map(answer => [answer.status, place(answer)])),
    }
  }

  const paths: Record<string, Json> = {}
  for (const { operation, answers } of answered) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(operation, answers) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reprise',
      version: apiVersion,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      ...(publicUrl === undefined ? [] : [{ url: publicUrl, description: 'This server' }]),
      // Relative to the address of the document, which a proxy may serve below a path.
      { url: './', description: 'The server that gave this document' },
      { url: 'http://127.0.0.1:8080', description: 'The default address of a server' },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.named(),
      responses,
      parameters: { RequestId: parameterOf(requestId) },
      headers: headerComponents,
      securitySchemes,
    },
  }
}
