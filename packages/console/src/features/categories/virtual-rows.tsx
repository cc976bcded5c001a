import type { ReactElement } from 'react';
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer';

/** Height of a row with its border. Rows on narrow screens are higher and are measured. */
const estimatedRowHeight = 57;

/** Renders only those rows of a tree that are in view. */
export const VirtualRows = ({ children }: { children: ReactElement }) => (
  <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight, gap: 0 }}>
    {children}
  </Virtualizer>
);
