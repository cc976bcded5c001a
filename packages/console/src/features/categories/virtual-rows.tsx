import type { ReactElement } from 'react';
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer';

/** A row with its border; on narrow screens it is higher, and is measured. */
const estimatedRowHeight = 57;

/** Draws those rows of a tree that are in view. */
export const VirtualRows = ({ children }: { children: ReactElement }) => (
  <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight, gap: 0 }}>
    {children}
  </Virtualizer>
);
