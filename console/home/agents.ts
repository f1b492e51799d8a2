// Reads the agents of the server, and keeps them until they are read again.

import { signal } from '@preact/signals'
import type { Static } from 'typebox'
import type { AgentInfo } from '../../src/contract/wire.ts'
import { readList } from '../api/listed.ts'
import { api } from '../api/session.ts'

type Agent = Pick<Static<typeof AgentInfo>, 'name' | 'description'>

export const agents = signal<Agent[]>([])

export const readAgents = async (): Promise<void> => {
  agents.value = (await readList<Agent>(api, '/agents', { limit: 1000 })).found
}
