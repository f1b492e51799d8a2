/** The user and the group of the system that a process runs as. */
export type UserId = { readonly uid: number; readonly gid: number }
