import { createContext, useContext } from 'react';

/**
 * Whether what the form holds is on its way for good. A form that is gone once it is done, as one in a dialog or that of
 * an order, takes in nothing that is typed meanwhile: it would stand in the form, and be in nothing.
 */
export const SentContext = createContext(false);

/** Whether a control stands in a form that is on its way for good. */
export const useIsSent = (): boolean => useContext(SentContext);
