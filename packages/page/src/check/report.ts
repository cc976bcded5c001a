/** Takes a problem; `hint` ends its message where that is read, and is not asked otherwise. */
export type Report = (pointer: string, message: string, hint?: () => string) => void;
