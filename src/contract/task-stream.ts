// Converts between the id of a task and the name of its stream.
export const taskStream = (taskId: string): string => `task-${taskId}`
export const taskIdOf = (stream: string): string => stream.slice('task-'.length)
export const isTaskStream = (stream: string): boolean => stream.startsWith('task-')
