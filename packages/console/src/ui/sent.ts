import { createContext, useContext } from 'react';

/**
 * Whether the form has been sent and will close when it is done, such as a form in a dialog or of a new order. Its
 * fields accept no input meanwhile: typed text would be visible but never saved.
 */
export const SentContext = createContext(false);

/** Whether the control is in a form that has been sent and will close. */
export const useIsSent = (): boolean => useContext(SentContext);
