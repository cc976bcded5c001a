import { GripIcon, ImageIcon, ListIcon } from '../../../src/ui/icons.tsx';
import { Segments } from '../../../src/ui/segments.tsx';
import { longText, type Part, Stateful } from '../part.tsx';

const widths = [
  { id: 'desktop', text: 'Desktop' },
  { id: 'tablet', text: 'Tablet' },
  { id: 'phone', text: 'Phone' },
];
const views = [
  { id: 'list', text: 'List', icon: <ListIcon /> },
  { id: 'grid', text: 'Grid', icon: <ImageIcon /> },
  { id: 'order', text: 'Order', icon: <GripIcon /> },
];

const segments = (
  start: string | null,
  props: { choices?: typeof widths; isDisabled?: boolean; isInherited?: boolean },
) => (
  <Stateful start={start}>
    {(value, onChange) => <Segments label="View" choices={widths} {...props} {...{ value, onChange }} />}
  </Stateful>
);

export default {
  title: 'Segments',
  use: 'A choice between a few options in a row.',
  examples: {
    Default: segments('desktop', {}),
    Icons: segments('list', { choices: views }),
    'Nothing chosen': segments(null, {}),
    Inherited: segments('tablet', { isInherited: true }),
    Disabled: segments('desktop', { isDisabled: true }),
    'Long text': segments('long', { choices: [...widths, { id: 'long', text: longText }] }),
  },
} satisfies Part;
