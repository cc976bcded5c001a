/** Records a problem. `hint` completes the message; it is called only if the message will be read. */
export type Report = (pointer: string, message: string, hint?: () => string) => void;
