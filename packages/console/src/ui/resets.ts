import { createContext, useContext } from 'react';

/** Counts how often the values that were typed into the form were dropped. */
export const ResetsContext = createContext(0);

/** Returns a key for controls that keep typed text, which starts them again when the form drops its values. */
export const useResets = (): number => useContext(ResetsContext);
