// Writes the tables of dialects and switches into docs/models.md, between markers.
import { dialectNames, dialectOf } from '../agents/model/dialects.ts'
import { type SwitchName, switches } from '../model-requests/switches.ts'
import { between } from './between.ts'

const page = 'docs/models.md'
const names = Object.keys(switches) as SwitchName[]

const code = (text: string): string => `\`${text}\``
const dialectRow = (name: (typeof dialectNames)[number]): string => {
  const { title, found, protocol, auth, switches: own, sources } = dialectOf(name)
  const set = Object.entries(own).map(([each, value]) => code(`${each}=${value}`))
  const from = sources.map((source, n) => `[${n + 1}](${source})`).join(' ')
  const key = auth === 'bearer' ? '' : `; the key is in the header ${code(auth)}`
  return `| ${code(name)} | ${title}${key} | ${protocol} | ${found} | ${set.join(' ') || '–'} | ${from} |`
}
const dialectTable = [
  '| Dialect | For | Protocol | Found by | Switches | Sources |',
  '|---|---|---|---|---|---|',
  ...dialectNames.map(dialectRow),
].join('\n')

const switchTable = [
  '| Switch | Values, the plain one first | Meaning |',
  '|---|---|---|',
  ...names.map(name => {
    const { values, about } = switches[name]
    return `| ${code(name)} | ${values.map(code).join(' ')} | ${about} |`
  }),
].join('\n')

/** The text of the page, with its tables as they are now. */
export const withModelTables = (text: string): string =>
  between(between(text, page, 'dialects', dialectTable), page, 'switches', switchTable)
