// GET /env and GET /env/{env_id}: the list of environments, and the details of one environment.
import { Invalid, Refusal } from '../../contract/refusals.ts'
import type { EnvironmentDoor } from '../doors.ts'
import { parametersOf } from '../request/parameters.ts'
import { readQuery } from '../request/query.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

export const environmentRoutes = (
  app: App,
  { environments }: Pick<EnvironmentDoor, 'environments'>,
): void => {
  route(app, 'listEnvironments', {
    async handler(request) {
      const q = readQuery(request.query)
      const { startingAfter: after, endingBefore: before, limit } = parametersOf('listEnvironments', q)
      q.notBoth('starting_after', 'ending_before')
      q.done()
      const all = await environments.list()
      checkCursor(all, 'starting_after', after)
      checkCursor(all, 'ending_before', before)
      return { environments: page(all, { after, before, limit }) }
    },
  })

  route(app, 'getEnvironment', {
    async handler({ params }) {
      const details = await environments.info(params.env_id)
      if (details.length === 0)
        throw new Refusal('EnvNotFound', undefined, `no environment "${params.env_id}"`)
      return { name: params.env_id, details }
    },
  })
}

type Named = { name: string }
const checkCursor = (all: Named[], parameter: string, cursor: string | undefined): void => {
  if (cursor === undefined || all.some(({ name }) => name === cursor)) return
  const msg = 'There is no environment with this name'
  throw new Invalid([{ loc: ['query', parameter], msg, type: 'value_error' }])
}

type Page = { after: string | undefined; before: string | undefined; limit: number }

/**
 * One page, sorted by name. It does not contain the entry that a cursor names. A page before a cursor contains the
 * entries that are nearest to the cursor.
 */
const page = <N extends Named>(all: N[], { after, before, limit }: Page): N[] => {
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (before !== undefined) return sorted.filter(({ name }) => name < before).slice(-limit)
  return sorted.filter(({ name }) => after === undefined || name > after).slice(0, limit)
}
