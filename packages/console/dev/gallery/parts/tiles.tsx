import { useState } from 'react';
import { ImageIcon } from '../../../src/ui/icons.tsx';
import { Empty } from '../../../src/ui/layout.tsx';
import { Tiles } from '../../../src/ui/tiles.tsx';
import { longWord, type Part } from '../part.tsx';

const files = [
  { id: '1', name: 'teapot.jpeg' },
  { id: '2', name: 'leaves.png' },
  { id: '3', name: longWord },
];

function Example({ items = files, isSelectable = false, isLoading = false }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(['1']));
  return (
    <Tiles
      label="Files"
      items={items}
      getName={({ name }) => name}
      getHref={() => '#tiles'}
      picture={() => <ImageIcon />}
      detail={() => '1.2 MB'}
      isLoading={isLoading}
      empty={<Empty title="No files yet">Images that you upload appear here.</Empty>}
      {...(isSelectable && { selected, onSelect: setSelected })}
    />
  );
}

export default {
  title: 'Tiles',
  use: 'A grid of things that people recognise by their pictures.',
  isWide: true,
  examples: {
    Default: <Example />,
    Selectable: <Example isSelectable />,
    'Busy: the first page': <Example items={[]} isLoading />,
    'Busy: another page': <Example isLoading />,
    Empty: <Example items={[]} />,
  },
} satisfies Part;
