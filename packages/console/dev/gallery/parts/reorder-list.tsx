import { Reorder } from '../../../src/ui/reorder-list.tsx';
import { longText, type Part, Stateful } from '../part.tsx';

const pages = [
  { id: '1', title: 'Home' },
  { id: '2', title: 'About us' },
  { id: '3', title: longText },
];

const list = (start: typeof pages, isFixed = false) => (
  <Stateful start={start}>
    {(items, setItems) => (
      <Reorder
        label="Pages"
        items={items}
        getName={({ title }) => title}
        onMove={
          isFixed
            ? undefined
            : (id, position) => {
                const rest = items.filter((item) => item.id !== id);
                setItems(rest.toSpliced(position, 0, items.find((item) => item.id === id)!));
              }
        }
      >
        {({ title }) => title}
      </Reorder>
    )}
  </Stateful>
);

export default {
  title: 'Reorder list',
  use: 'A list in an order that people set. Drag, or press Enter at a grip and use the arrow keys.',
  examples: { Default: list(pages), 'Read-only': list(pages, true), Empty: list([]) },
} satisfies Part;
