export const agent = 5
