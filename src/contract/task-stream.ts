// The names of streams and tasks in the log.
export const taskStream = (taskId: string): string => `task-${taskId}`
export const taskIdOf = (stream: string): string => stream.slice('task-'.length)
export const isTaskStream = (stream: string): boolean => stream.startsWith('task-')
