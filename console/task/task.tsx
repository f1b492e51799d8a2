export const TaskView = ({ id }: { id: string }) => <main>{id}</main>
