// Keeps who uses the console: the token, which is forgotten when the tab closes, and what the role of the token may do.
import { computed, signal } from '@preact/signals'
import { may, type TokenAccess } from '../../src/access/roles.ts'
import type { Role } from '../../src/contract/events/token-events.ts'
import { root } from './address.ts'
import { at } from './api.ts'
import { createApi } from './client.ts'
import { whenThere } from './reach.ts'

export type OwnToken = { id: string; role: Role; user_id: string | null; expires_at: number | null }
type Stored = { token: string; ownId?: string }

/** Another server may be at another path of this host, and must not get the token. */
const key = `reprise-console ${root}`
const stored = (): Stored | undefined => {
  const text = sessionStorage.getItem(key)
  return text === null ? undefined : (JSON.parse(text) as Stored)
}

const current = signal<Stored | undefined>(stored())
export const self = signal<OwnToken | undefined>(undefined)
/** Why the user must sign in again. */
export const notice = signal<string | undefined>(undefined)

const forget = (why?: string) => {
  sessionStorage.removeItem(key)
  current.value = undefined
  self.value = undefined
  notice.value = why
}

export const isSignedIn = computed(() => current.value !== undefined)

export const api = createApi(
  () => current.value?.token,
  () => forget('This token is no longer valid.'),
)

const keep = (given: Stored) => {
  sessionStorage.setItem(key, JSON.stringify(given))
  current.value = given
  notice.value = undefined
}

/** Reads what the token may do. Rejects with ApiError. */
export const readSelf = async (): Promise<void> => {
  self.value = await api.send<OwnToken>('GET', '/auth/token')
}

/** Reads what the token may do, and tries again while the server does not answer. */
export const learnSelf = async (): Promise<void> => {
  while (isSignedIn.value && self.value === undefined) {
    await readSelf().catch(() => new Promise(resolve => setTimeout(resolve, 1000)))
    await whenThere()
  }
}

/** Keeps the token if the server accepts it. Otherwise rejects with ApiError. */
export const signIn = async (token: string): Promise<void> => {
  const tried = createApi(
    () => token,
    () => {},
  )
  self.value = await tried.send<OwnToken>('GET', '/auth/token')
  keep({ token })
}

/** Exchanges the ticket of a one-time link. Rejects with ApiError. */
export const signInByLink = async (ticket: string): Promise<void> => {
  forget()
  const { token, id } = await api.send<{ token: string; id: string }>('POST', '/auth/login', { ticket })
  keep({ token, ownId: id })
  await readSelf()
}

/** Forgets the token. A token that a one-time link gave is revoked. */
export const signOut = async (): Promise<void> => {
  const own = current.value?.ownId
  if (own !== undefined) await api.send('DELETE', `/auth/tokens${at(own)}`).catch(() => {})
  forget()
}

/** Whether the role of the token has this access. */
export const allowed = (access: TokenAccess): boolean =>
  self.value !== undefined && may(self.value.role, access)
export const mayRead = computed(() => allowed('read'))
export const mayWrite = computed(() => allowed('write'))
/** The token, for requests that the user copies. */
export const tokenText = (): string => current.value?.token ?? ''
