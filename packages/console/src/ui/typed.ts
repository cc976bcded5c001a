import { createContext } from 'react';

/**
 * Tells the dialog around a form that something was typed, which must not be lost by a click outside. Null: there is no
 * dialog around the form.
 */
export const TypedContext = createContext<(() => void) | null>(null);
