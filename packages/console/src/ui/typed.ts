import { createContext, type RefObject } from 'react';

/**
 * Whether something was typed into the form of the dialog around it, which must not be lost by a click outside. Null:
 * there is no dialog around the form.
 */
export const TypedContext = createContext<RefObject<boolean> | null>(null);
