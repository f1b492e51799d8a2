// The catalogue of refusals, from the table of the contract: a part of the page at /docs, and the file docs/errors.md.
import { invalidRequest, type RefusalName, refusals } from '../contract/refusals.ts'
import { taskErrors } from '../contract/task-errors.ts'
import { line } from './page/html.ts'

/** A reason for which the server refuses a request, by the name under which the catalogue has it. */
export type Reason = RefusalName | 'Invalid'

export type Entry = { name: Reason; http: number; code: number; message: string; when: string; hint: string }

/** The reasons in the order of their statuses and codes. */
export const entries: Entry[] = Object.entries({ ...refusals, Invalid: invalidRequest })
  .map(([name, entry]) => ({ name: name as Reason, ...entry }))
  .sort((a, b) => a.http - b.http || b.code - a.code)

/** The id of a reason on the page at /docs. */
export const anchorOf = (name: Reason): string => `error-${name}`

/** The links to all reasons, by name, and the sections to which they lead. */
export const errorSections = () => ({
  links: entries.map(({ name }) => ({ href: `#${anchorOf(name)}`, text: name })),
  html: entries
    .map(
      ({ name, http, code, message, when, hint }) =>
        `<section id="${anchorOf(name)}"><h3>${name}</h3><p><b>${http}</b> <code>${code}</code> ${line(message)}</p><p>${line(when)}</p><p><b>What to do:</b> ${line(hint)}</p></section>`,
    )
    .join('\n'),
})

const introduction = `# Errors

The server refuses a request with a status from 400 on and an error object:

\`\`\`json
{
  "code": -32001,
  "message": "no such task",
  "data": {
    "hint": "${refusals.TaskNotFound.hint}",
    "docs": "/docs#${anchorOf('TaskNotFound')}"
  }
}
\`\`\`

- \`message\` says what is so, and \`data.hint\` what you can do. Both may say more in a certain case than this page does. Programs should read
  the status, the \`code\` and the fields of \`data\`, and no texts.
- \`data.docs\` leads to the reason on the page \`/docs\` of the server. It is a whole address if the operator has set
  [\`PUBLIC_URL\`](configuration.md), and otherwise a path of the server.
- Create, get and list of tasks answer with the object as \`error\` of their envelope, as the interface wants it. All other
  operations answer with the object alone. Where an environment or a session is not found, \`detail\` repeats the message.
- An invalid request gets 422 with the form of the interface, [\`detail\`](#invalid), which lists all problems and has no other field.
- On \`/ws\` the object is the \`error\` of a message \`{"type": "error"}\`, and in the stream of a step the \`error\` of \`step.failed\`.
- The operations of OpenAI's protocols answer with \`{"error": {"message", "type", "param", "code"}}\` ([openai.md](openai.md#errors)); an
  invalid request gets 400 there. Those of A2A have the forms of that protocol ([doors.md](doors.md#a2a)).
- A task that fails is no refusal: the request gets 200, and the task has an \`error\` of its own ([below](#errors-of-tasks)).
- [The clients](client.md#when-something-fails) have a class with the name of each reason.

After 429 and 503, \`Retry-After\` says how many seconds to wait. After 409, \`X-Should-Retry: false\` says that the same request would be refused
again.

| Name | Status | Code |
|---|---|---|
`

/** A text as a paragraph of the file, in lines of a usual length. */
const wrapped = (text: string): string => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length + 1 > 128) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}

/** The chapter on the errors of tasks. */
const ofTasks = (): string => {
  const rows = Object.entries(taskErrors).map(
    ([name, { code, when, hint }]) => `| \`${code}\` | ${name} | ${when} | ${hint} |\n`,
  )
  return `
## Errors of tasks

A task that has failed has an \`error\` with one of these codes. An agent that plays a script chooses its codes itself.

| Code | Name | When | What to do |
|---|---|---|---|
${rows.join('')}`
}

/** The file docs/errors.md. */
export const errorsFile = (): string => {
  const rows = entries.map(
    ({ name, http, code }) => `| [\`${name}\`](#${name.toLowerCase()}) | ${http} | \`${code}\` |\n`,
  )
  const sections = entries.map(({ name, http, code, message, when, hint }) =>
    [
      `\n## ${name}\n`,
      `${http}, \`${code}\`: “${message}”\n`,
      `${wrapped(`**When:** ${when}`)}\n`,
      `${wrapped(`**What to do:** ${hint}`)}\n`,
    ].join('\n'),
  )
  return introduction + rows.join('') + sections.join('') + ofTasks()
}
