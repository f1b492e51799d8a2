// The orders of an operator to a node, which come as signed requests of the command line. The signature covers the path
// with its query, and no body, so an order is all in its path.
import type { Answer } from '../http/answer/errors.ts'
import type { Draining } from './draining.ts'
import type { OtherNodes } from './other-nodes.ts'

type Deps = { draining: Draining; others: Pick<OtherNodes, 'forget'> }

const wrong = (message: string): Answer => ({ status: 422, headers: {}, body: { message } })

const millisecondsOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined

export const createOrders =
  ({ draining, others }: Deps) =>
  (path: string): Promise<Answer> | undefined => {
    const { pathname, searchParams } = new URL(path, 'http://node')
    const node = searchParams.get('node') ?? undefined
    if (pathname === '/cluster/drain')
      return draining.on({ to: node, ms: millisecondsOf(searchParams.get('ms')) })
    if (pathname === '/cluster/undrain') return Promise.resolve(draining.off())
    if (pathname !== '/cluster/forget') return undefined
    if (node === undefined) return Promise.resolve(wrong('the order names no node'))
    return others
      .forget(node)
      .then(was => ({ status: 200, headers: {}, body: { was: was ? 'known' : 'unknown' } }))
  }
