// The forms of /docs. Each sends its fields with the token of the page and shows the answer as it comes.
const [token, language, search] = ['#token', '#language', '#search'].map(each => document.querySelector(each))
const longest = 500_000
/** The root of the server. A proxy may serve it below a path of its own. */
const root = new URL('..', import.meta.url)

/** The request that a form describes. */
const requestOf = form => {
  const { method } = form.dataset
  const url = new URL(form.dataset.path.slice(1), root)
  const headers = {}
  for (const { name, value } of form.elements) {
    const [where, key] = name.split(/:(.*)/)
    if (value === '' || key === undefined) continue
    if (where === 'path')
      url.pathname = decodeURI(url.pathname).replace(`{${key}}`, encodeURIComponent(value))
    if (where === 'query') url.searchParams.set(key, value)
    if (where === 'header') headers[key] = value
  }
  const { accept, body } = form.elements
  if (accept) headers.Accept = accept.value
  if (body) headers['Content-Type'] = 'application/json'
  return { method, url: url.href, headers, body: body?.value }
}

const quote = text => `'${text.replaceAll("'", "'\\''")}'`

/** The same request as a command for a terminal, without the token. */
const curlOf = ({ method, url, headers, body }, needsToken) =>
  [
    `curl -N ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ].join(' \\\n  ')

/** The headers as entries of an object literal, which JavaScript and Python read alike. */
const entriesOf = (headers, indent) =>
  Object.entries(headers).map(
    ([name, value]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  )

/** The same request for Node 20. */
const javascriptOf = ({ method, url, headers, body }, needsToken) =>
  `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: {
${needsToken ? `    Authorization: \`Bearer \${process.env.TOKEN}\`,\n` : ''}${entriesOf(headers, '    ').join('')}  },
${body === undefined ? '' : `  body: ${JSON.stringify(body)},\n`}})
for await (const chunk of response.body.pipeThrough(new TextDecoderStream()))
  process.stdout.write(chunk)`

/** The same request for Python 3, without a package. A JSON text is a text of Python, too. */
const pythonOf = ({ method, url, headers, body }, needsToken) =>
  `import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers={
${needsToken ? '        "Authorization": f"Bearer {os.environ[\'TOKEN\']}",\n' : ''}${entriesOf(headers, '        ').join('')}    },
${body === undefined ? '' : `    data=${JSON.stringify(body)}.encode(),\n`})
with urllib.request.urlopen(request) as response:
    for line in response:
        print(line.decode(), end="", flush=True)`

const samples = { curl: curlOf, javascript: javascriptOf, python: pythonOf }

const pretty = text => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const show = async (response, answer, isJson) => {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += chunk.value
    if (text.length > longest) {
      await reader.cancel()
      answer.textContent = `${text.slice(0, longest)}\n… (more was not read)`
      return
    }
    const atEnd = answer.scrollTop + answer.clientHeight >= answer.scrollHeight - 4
    answer.textContent = text
    if (atEnd) answer.scrollTop = answer.scrollHeight
  }
  if (isJson) answer.textContent = pretty(text)
}

/** Puts a field into a body, and selects its value. Returns why it cannot. */
const addField = (body, { field, sample }) => {
  let value
  try {
    value = JSON.parse(body.value === '' ? '{}' : body.value)
  } catch {
    return 'The body is no JSON, so no field can be added.'
  }
  if (!(field in value)) body.value = JSON.stringify({ ...value, [field]: JSON.parse(sample) }, null, 2)
  const at = body.value.indexOf(`${JSON.stringify(field)}: `)
  body.focus()
  body.setSelectionRange(at + field.length + 4, body.value.indexOf('\n', at))
  return ''
}

const prepare = form => {
  const [sample, status, answer, stop] = ['.sample', '.status', '.answer', '.stop'].map(each =>
    form.querySelector(each),
  )
  const needsToken = 'token' in form.dataset
  const refresh = () => {
    sample.textContent = samples[language.value](requestOf(form), needsToken)
  }
  form.addEventListener('input', refresh)
  language.addEventListener('change', refresh)
  form.querySelector('.copy').onclick = () => navigator.clipboard.writeText(sample.textContent)
  form.querySelector('.examples')?.addEventListener('change', ({ target }) => {
    form.elements.body.value = target.value
    refresh()
  })
  for (const add of form.parentElement.querySelectorAll('.add'))
    add.onclick = () => {
      status.textContent = addField(form.elements.body, add.dataset)
      refresh()
    }
  refresh()

  form.addEventListener('submit', async event => {
    event.preventDefault()
    const { method, url, headers, body } = requestOf(form)
    if (needsToken && token.value !== '') headers.Authorization = `Bearer ${token.value}`
    const abort = new AbortController()
    stop.onclick = () => abort.abort()
    stop.hidden = false
    answer.hidden = false
    answer.textContent = ''
    status.textContent = '…'
    const began = performance.now()
    try {
      const response = await fetch(url, { method, headers, body, signal: abort.signal, cache: 'no-store' })
      const type = response.headers.get('content-type') ?? ''
      status.textContent = `${response.status} ${type}`
      if (response.body !== null) await show(response, answer, type.startsWith('application/json'))
      status.textContent += `, ${Math.round(performance.now() - began)} ms`
      if (response.status === 401) token.focus()
    } catch (error) {
      status.textContent += abort.signal.aborted ? ' stopped' : ` ${error.message}`
    } finally {
      stop.hidden = true
      answer.hidden = answer.textContent === ''
    }
  })
}

/** Keeps the value of a field in a storage of the browser. Some browsers refuse to keep anything. */
const keep = (field, key, storage, isAllowed) => {
  try {
    const kept = storage().getItem(key)
    if (kept !== null && isAllowed(kept)) field.value = kept
  } catch {}
  field.addEventListener('change', () => {
    try {
      storage().setItem(key, field.value)
    } catch {}
  })
}
keep(
  language,
  'reprise-docs-language',
  () => localStorage,
  kept => kept in samples,
)
// A token is kept until the tab is closed.
keep(
  token,
  `reprise-docs-token ${root.pathname}`, // another server may be at another path of this host
  () => sessionStorage,
  () => true,
)

const main = document.querySelector('main')

/** The forms that are ready. A form is made ready when somebody opens its operation: there are a hundred of them. */
const prepared = new WeakSet()
main.addEventListener(
  'toggle',
  ({ target }) => {
    const form = target.querySelector(':scope > form')
    if (!target.open || !form || prepared.has(form)) return
    prepared.add(form)
    prepare(form)
  },
  true, // the event does not bubble
)

const found = document.querySelector('#found')
const linkTo = id => document.querySelector(`nav a[href="#${id}"]`)?.parentElement
/** The groups, each with the operations, messages or schemas in it. Their texts are read for the first search. */
const createGroups = () =>
  [...document.querySelectorAll('main > .group')].map(group => {
    const parts = [...group.querySelectorAll(':scope > details')]
    return {
      group,
      wasOpen: group.open,
      /** What stands between the parts, such as the name of a stream. */
      between: [...group.children].filter(each => each.tagName !== 'SUMMARY' && !parts.includes(each)),
      link: linkTo(group.id),
      parts: parts.map(part => ({
        part,
        link: linkTo(part.id),
        text: `${part.id} ${part.textContent}`.toLowerCase(),
      })),
    }
  })
let groups
/** Shows and opens the groups that have parts with all words of the search, and shows only these parts. */
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const isSearch = words.length > 0
  if (isSearch) groups ??= createGroups()
  let count = 0
  for (const { group, wasOpen, between, link, parts } of groups ?? []) {
    const fitting = parts.filter(({ text }) => words.every(word => text.includes(word)))
    for (const each of parts) {
      each.part.hidden = !fitting.includes(each)
      if (each.link) each.link.hidden = each.part.hidden
    }
    for (const each of [group, link]) if (each) each.hidden = fitting.length === 0
    for (const each of between) each.hidden = isSearch
    group.open = isSearch ? fitting.length > 0 : wasOpen
    count += fitting.length
  }
  if (!isSearch) groups = undefined
  found.textContent = isSearch ? `${count} found` : ''
})

/** Opens what the address names, with everything around it, and scrolls there. */
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target || !main.contains(target)) return
  for (let part = target.closest('details'); part; part = part.parentElement.closest('details'))
    part.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', unfold)
// A link to where the address already is changes nothing, but its reader may have closed the part.
document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[href^="#"]')
  if (link && link.hash === location.hash) unfold()
})
unfold()
