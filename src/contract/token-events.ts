// The facts of a principal: its token was made, and perhaps revoked. Only the token's hash is ever stored.
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
/** A start found no admin token, and made one in this file of the data folder; nothing of the token is stored. */
export type AdminTokenMade = { file: string }

export const principalStream = (tokenId: string): string => `principal-${tokenId}`
export const isPrincipalStream = (stream: string): boolean => stream.startsWith('principal-')

/** Who a request comes from. Without a `userId` it stands for all users. */
export type Principal = { id: string; role: Role; userId: string | undefined; expiresAt: number | undefined }

/**
 * Those who take turns with others and have a share of what there is: a user, however many tokens it has, or a token that
 * stands for all users.
 */
export const callerOf = ({ id, userId }: Pick<Principal, 'id' | 'userId'>): string =>
  userId === undefined ? `token ${id}` : `user ${userId}`

/** The user whose task or session a request makes: the token's, else the one that the body names. */
export const ownerOf = ({ userId }: Pick<Principal, 'userId'>, named: unknown): string =>
  userId ?? (typeof named === 'string' ? named : 'default')
