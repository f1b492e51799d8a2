// The events of a principal: its token was made, and its token was revoked. Only the hash of a token is stored.
export const roles = ['admin', 'user', 'auditor', 'subscriber', 'eraser', 'worker'] as const
export type Role = (typeof roles)[number]

export type TokenCreated = {
  token_id: string
  hash: string
  role: Role
  /** What the maker of the token calls it. Absent: it has no name. */
  name?: string
  /** The user for whom the token acts. Absent: the token acts for all users. */
  user_id?: string
  /** When the token expires, in milliseconds since the epoch. Absent: never. */
  expires_at?: number
}
export type TokenRevoked = { token_id: string }
/**
 * The server started without an admin token, and wrote a new one to this file of the data folder. The token itself is
 * not in the log.
 */
export type AdminTokenMade = { file: string }

export const principalStream = (tokenId: string): string => `principal-${tokenId}`
export const isPrincipalStream = (stream: string): boolean => stream.startsWith('principal-')
/** The id of the principal of a stream, which is the id of its token. */
export const principalIdOf = (stream: string): string => stream.slice('principal-'.length)

/** The principal of a request. Without a `userId` it acts for all users. */
export type Principal = { id: string; role: Role; userId: string | undefined; expiresAt: number | undefined }

/**
 * The name under which the work of a principal is counted. All tokens of one user have the same name; a token that acts
 * for all users has a name of its own.
 */
export const callerOf = ({ id, userId }: Pick<Principal, 'id' | 'userId'>): string =>
  userId === undefined ? `token ${id}` : `user ${userId}`

/** The user who will own a new task or session: the user of the token, or else the user whom the body names. */
export const ownerOf = ({ userId }: Pick<Principal, 'userId'>, named: unknown): string =>
  userId ?? (typeof named === 'string' ? named : 'default')
