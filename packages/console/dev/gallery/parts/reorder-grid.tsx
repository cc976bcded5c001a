import { ReorderGrid } from '../../../src/ui/reorder-grid.tsx';
import { longText, type Part, Stateful } from '../part.tsx';

const images = [
  { id: '1', text: 'Front' },
  { id: '2', text: 'Back' },
  { id: '3', text: longText },
];

const grid = (start: typeof images, isDisabled = false) => (
  <Stateful start={start}>
    {(items, setItems) => (
      <ReorderGrid
        label="Images"
        items={items}
        isDisabled={isDisabled}
        onReorder={(ids) => setItems(ids.map((id) => items.find((item) => item.id === id)!))}
      >
        {({ text }, position) => (
          <p>
            {position + 1}. {text}
          </p>
        )}
      </ReorderGrid>
    )}
  </Stateful>
);

export default {
  title: 'Reorder grid',
  use: 'A grid in an order that people set. Drag, or press Enter at a handle and use the arrow keys.',
  examples: { Default: grid(images), Disabled: grid(images, true), Empty: grid([]) },
} satisfies Part;
