import { createContext, useContext } from 'react';

/**
 * Whether what the form holds is on its way for good. Of what cannot be changed once it is made, as an order and an API
 * key, none takes in what is typed meanwhile: it would stand in the form, and be in nothing.
 */
export const SentContext = createContext(false);

/** Whether a control stands in a form that is on its way for good. */
export const useIsSent = (): boolean => useContext(SentContext);
