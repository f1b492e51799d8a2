// The clients that do what the table of behaviours says.
import type { Test } from 'tap'
import { noPython } from '../python-agent/peer.ts'
import type { Does } from './behaviours.ts'
import { drive } from './driver.ts'
import { pythonDriver } from './python.ts'

export type Drive = (url: string, does: Does) => Promise<Record<string, unknown>>
export const clients: { name: string; skip: false | string; start: (t: Test) => Drive }[] = [
  { name: 'TypeScript', skip: false, start: () => drive },
  { name: 'Python', skip: noPython, start: t => pythonDriver(t, 'sync') },
  { name: 'Python with asyncio', skip: noPython, start: t => pythonDriver(t, 'async') },
]
