// Converts plain text to HTML.
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escaped = (text: string): string => text.replace(/[&<>"']/g, sign => entities[sign] ?? '')

export const code = (text: string): string => `<code>${escaped(text)}</code>`

/** One line; text between backticks becomes code. */
export const line = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join('')

/** Paragraphs, and lists of lines that begin with a dash. */
export const prose = (text: string): string =>
  text
    .split('\n\n')
    .map(block => {
      const lines = block.split('\n')
      if (!lines.every(each => each.startsWith('- '))) return `<p>${line(block)}</p>`
      return `<ul>${lines.map(each => `<li>${line(each.slice(2))}</li>`).join('')}</ul>`
    })
    .join('')

export const table = (head: string[], rows: string[][]): string =>
  rows.length === 0
    ? ''
    : `<table><thead><tr>${head.map(cell => `<th>${cell}</th>`).join('')}</tr></thead><tbody>${rows
        .map(row => `<tr>${row.map(cell => `<td>${cell}</td>`).join('')}</tr>`)
        .join('')}</tbody></table>`
