/** The numeric user and group of the operating system with which a process runs. */
export type UserId = { readonly uid: number; readonly gid: number }
