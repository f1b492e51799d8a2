// The events of a principal: its token was made, and perhaps revoked. Only the hash of a token is stored.
export const roles = ['admin', 'user', 'auditor', 'subscriber'] as const
export type Role = (typeof roles)[number]

export type TokenCreated = {
  token_id: string
  hash: string
  role: Role
  /** Absent: all users. */
  user_id?: string
  /** Milliseconds since the epoch; absent: never. */
  expires_at?: number
}
export type TokenRevoked = { token_id: string }
/** The server started without an admin token and made one in this file of the data folder. The token is not stored. */
export type AdminTokenMade = { file: string }

export const principalStream = (tokenId: string): string => `principal-${tokenId}`
export const isPrincipalStream = (stream: string): boolean => stream.startsWith('principal-')

/** The principal of a request. Without a `userId` it acts for all users. */
export type Principal = { id: string; role: Role; userId: string | undefined; expiresAt: number | undefined }

/**
 * The caller for fairness and shares: a user, with all of the user's tokens together, or a token that acts for all users.
 */
export const callerOf = ({ id, userId }: Pick<Principal, 'id' | 'userId'>): string =>
  userId === undefined ? `token ${id}` : `user ${userId}`

/** The user who will own a new task or session: the user of the token, else the one that the body names. */
export const ownerOf = ({ userId }: Pick<Principal, 'userId'>, named: unknown): string =>
  userId ?? (typeof named === 'string' ? named : 'default')
