// The page at /docs, where a reader can read about every operation and try it. The page is made from the same table as
// the OpenAPI document. Its script sends what the forms contain to this server only. The addresses in the page are
// relative, because a proxy may serve the page below a path.
import { apiVersion } from '../contract/responses.ts'
import { errorSections } from './catalogue.ts'
import { introduction } from './openapi.ts'
import { tags } from './operation.ts'
import { operations } from './operations.ts'
import { escaped, line, prose } from './page/html.ts'
import { messages } from './page/messages.ts'
import { operationSection } from './page/operation.ts'
import { schemaPrefix, schemaSection } from './page/schema.ts'
import { type Json, schemaWriter } from './schemas.ts'

/** A part of the page that is closed until somebody wants it. */
const group = (id: string, title: string, about: string, members: string): string =>
  `<details class="group" id="${id}"><summary><h2>${title}</h2> <span>${line(about)}</span></summary>
${members}</details>`

const list = (entries: { href: string; text: string }[]): string =>
  `<ul>${entries.map(({ href, text }) => `<li><a href="${href}">${escaped(text)}</a></li>`).join('')}</ul>`

/** An id has no spaces. */
const idOf = (tag: string): string => tag.replaceAll(' ', '-')

/** `version`: of the server, whose interface has a version of its own. */
export const page = (version: string): string => {
  const schemas = schemaWriter(schemaPrefix)
  const groups = Object.entries(tags).map(([tag, about]) => ({
    tag,
    about,
    members: operations.filter(operation => operation.tag === tag),
  }))
  const sections = groups.map(({ tag, about, members }) =>
    group(idOf(tag), tag, about, members.map(operation => operationSection(operation, schemas)).join('\n')),
  )
  const streams = messages()
  const errors = errorSections()
  const named = Object.entries({ ...streams.named, ...schemas.named() }) as [string, Json][]
  const contents = groups.map(
    ({ tag, members }) =>
      `<p><a href="#${idOf(tag)}">${tag}</a></p>${list(members.map(({ id, summary }) => ({ href: `#${id}`, text: summary })))}`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reprise API</title>
<link rel="icon" href="docs/icon.svg">
<link rel="stylesheet" href="docs/page.css">
<script type="module" src="docs/page.js"></script>
</head>
<body>
<header>
<h1>Reprise <small>API version ${apiVersion}, server version ${version}</small></h1>
<label>Find <input id="search" type="search" autocomplete="off" placeholder="operations, fields, words"></label>
<span id="found" role="status"></span>
<label>Samples <select id="language"><option value="curl">curl</option><option value="javascript">JavaScript</option><option value="python">Python</option></select></label>
<label>Token <input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="for the forms on this page"></label>
<span><a href="ui">Console</a> <a href="openapi.json">OpenAPI</a> <a href="asyncapi.json">AsyncAPI</a></span>
</header>
<nav>${contents.join('')}${streams.contents}<p><a href="#errors">Errors</a></p>${list(errors.links)}<p><a href="#schemas">Schemas</a></p>${list(
    named.map(([name]) => ({ href: `${schemaPrefix}${name}`, text: name })),
  )}</nav>
<main>
${prose(introduction)}
${sections.join('\n')}
${group('messages', 'Messages of streams', 'What the streams send.', streams.html)}
${group('errors', 'Errors', 'Why the server refuses a request, and what to do.', errors.html)}
${group('schemas', 'Schemas', 'The objects of requests and answers.', named.map(([name, schema]) => schemaSection(name, schema)).join('\n'))}
</main>
</body>
</html>
`
}
