/**
 * A call of a tool gets at most this many deadlines one after another, when other work or a slow disk keeps its thread
 * from running. Calls of other users wait for the place of this thread, so it may not be many.
 */
export const mostDeadlines = 4
