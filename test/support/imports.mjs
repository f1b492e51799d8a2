// Checks that modules import only what .dependency-cruiser.json allows, in the working tree or in the folder that is
// the argument.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cruise } from 'dependency-cruiser'

const repository = resolve(import.meta.dirname, '../..')
const root = resolve(process.argv[2] ?? repository)
const { forbidden, options } = JSON.parse(readFileSync(join(repository, '.dependency-cruiser.json'), 'utf8'))

const folders = ['src', 'actors', 'projections', 'console', 'library'].filter(folder =>
  existsSync(join(root, folder)),
)
const { output } = await cruise(folders, {
  ...options,
  baseDir: root,
  ruleSet: { forbidden },
  validate: true,
})

const ours = output.modules.filter(({ source }) => /^(src|actors|projections|console|library)\//.test(source))
const { violations } = output.summary
for (const { rule, from, to, cycle } of violations) {
  console.log(`${rule.name}: ${[from, ...(cycle?.map(step => step.name) ?? [to])].join(' -> ')}`)
  console.log(`  ${forbidden.find(({ name }) => name === rule.name).comment}`)
}
// When the cruiser cannot use the installed compiler, it reads no module and finds nothing wrong.
if (ours.length === 0)
  console.log('0 modules read, so nothing was checked: does the cruiser support the installed compiler?')
else console.log(`${ours.length} modules, ${violations.length} forbidden imports`)
process.exitCode = ours.length === 0 || violations.length > 0 ? 1 : 0
