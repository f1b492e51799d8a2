// Requests as command lines. The token stays out of the text: the shell takes it from a variable.

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const curlOf = (method: string, path: string, body?: object): string =>
  [
    `curl -X ${method} ${quoted(location.origin + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
